package abi

// Header is a C header.
type Header struct {
	Name     string
	Guard    string
	Doc      string
	Includes []string
}

// Headers lists the C headers, each after those that it includes.
var Headers = []Header{
	{"vx_vendors.h", "_OPENVX_VENDORS_H_", "Numbers of vendors.", nil},
	{"vx_types.h", "_OPENVX_TYPES_H_", "Types and constants.", []string{"stddef.h", "stdint.h", "VX/vx_vendors.h"}},
	{"vx_kernels.h", "_OPENVX_KERNELS_H_", "Numbers of kernels.", []string{"VX/vx_types.h"}},
	{"vx_api.h", "_OPENVX_API_H_", "Objects and graphs.", []string{"VX/vx_types.h"}},
	{"vx_nodes.h", "_OPENVX_NODES_H_", "Nodes on tensors.", []string{"VX/vx_types.h"}},
	{"vx.h", "_OPENVX_H_", "OpenVX: what most programs include.",
		[]string{"VX/vx_vendors.h", "VX/vx_types.h", "VX/vx_kernels.h", "VX/vx_api.h", "VX/vx_nodes.h"}},
	{"vxu.h", "_OPENVX_UTILITY_H_", "Functions that work at once, without a graph.", []string{"VX/vx.h"}},
	{"vx_khr_nn.h", "_VX_KHR_NN_H_", "Layers of neural networks.", []string{"VX/vx.h"}},
	{"vx_khr_import_kernel.h", "_OPENVX_IMPORT_KERNEL_H_", "Kernels made of models.", []string{"VX/vx.h"}},
	{"vx_compatibility.h", "VX_1_0_1_NAMING_COMPATIBILITY", "Names of older versions of OpenVX.",
		[]string{"VX/vx.h", "VX/vx_khr_nn.h"}},
	{"vx_concord.h", "_VX_CONCORD_H_", "What this library adds to OpenVX.", []string{"VX/vx.h"}},
}
