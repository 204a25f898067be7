package export

var elementwiseRows = []row{}
