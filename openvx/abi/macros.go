package abi

// Macros lists the macros, in the order in which they are defined.
var Macros = []Macro{
	{"vx_types.h", "VX_MAX_IMPLEMENTATION_NAME", "(64)", "Lengths of strings with the terminating zero."},
	{"vx_types.h", "VX_MAX_KERNEL_NAME", "(256)", ""},
	{"vx_types.h", "VX_MAX_LOG_MESSAGE_LEN", "(1024)", ""},
	{"vx_types.h", "VX_MAX_REFERENCE_NAME", "(64)", ""},

	{"vx_types.h", "VX_VENDOR_MASK", "(0xFFF00000U)", "Parts of constants: vendor, object and attribute; vendor, enumeration and member; " +
		"vendor, library and kernel."},
	{"vx_types.h", "VX_TYPE_MASK", "(0x000FFF00U)", ""},
	{"vx_types.h", "VX_LIBRARY_MASK", "(0x000FF000U)", ""},
	{"vx_types.h", "VX_KERNEL_MASK", "(0x00000FFFU)", ""},
	{"vx_types.h", "VX_ATTRIBUTE_ID_MASK", "(0x000000FFU)", ""},
	{"vx_types.h", "VX_ENUM_TYPE_MASK", "(0x000FF000U)", ""},
	{"vx_types.h", "VX_ENUM_MASK", "(0x00000FFFU)", ""},
	{"vx_types.h", "VX_VENDOR(e)", "(((vx_uint32)(e) & VX_VENDOR_MASK) >> 20)", "Take a constant apart."},
	{"vx_types.h", "VX_TYPE(e)", "(((vx_uint32)(e) & VX_TYPE_MASK) >> 8)", ""},
	{"vx_types.h", "VX_ENUM_TYPE(e)", "(((vx_uint32)(e) & VX_ENUM_TYPE_MASK) >> 12)", ""},
	{"vx_types.h", "VX_LIBRARY(e)", "(((vx_uint32)(e) & VX_LIBRARY_MASK) >> 12)", ""},
	{"vx_types.h", "VX_ATTRIBUTE_BASE(vendor, object)", "((vx_int32)((vx_uint32)(vendor) << 20 | (vx_uint32)(object) << 8))",
		"The first attribute of an object, member of an enumeration and kernel of a library."},
	{"vx_types.h", "VX_ENUM_BASE(vendor, id)", "((vx_int32)((vx_uint32)(vendor) << 20 | (vx_uint32)(id) << 12))", ""},
	{"vx_types.h", "VX_KERNEL_BASE(vendor, lib)", "((vx_int32)((vx_uint32)(vendor) << 20 | (vx_uint32)(lib) << 12))", ""},
	{"vx_types.h", "VX_DF_IMAGE(a, b, c, d)", "((vx_uint32)(vx_uint8)(a) | (vx_uint32)(vx_uint8)(b) << 8 | \\\n    " +
		"(vx_uint32)(vx_uint8)(c) << 16 | (vx_uint32)(vx_uint8)(d) << 24)", "The format of images that has four characters as its name."},

	{"vx_types.h", "VX_SCALE_UNITY", "(1024u)", "The scale 1 of a plane."},
	{"vx_types.h", "VX_SCALE_PYRAMID_HALF", "(0.5f)", "Scales of pyramids."},
	{"vx_types.h", "VX_SCALE_PYRAMID_ORB", "((vx_float32)0.8408964f)", ""},
	{"vx_types.h", "VX_IMAGEPATCH_ADDR_INIT", "{0u, 0u, 0, 0, 0u, 0u, 0u, 0u, 0u}", "Initial values."},
	{"vx_types.h", "VX_PERF_INIT", "{0ul, 0ul, 0ul, 0ul, 0ul, 0ul}", ""},

	{"vx_api.h", "vxFormatArrayPointer(ptr, index, stride)", "(&(((vx_uint8 *)(ptr))[(index) * (stride)]))",
		"The address of an item of a mapped array, and the item."},
	{"vx_api.h", "vxArrayItem(type, ptr, index, stride)", "(*(type *)(vxFormatArrayPointer((ptr), (index), (stride))))", ""},

	{"vx.h", "VX_VERSION_MAJOR(x)", "((vx_uint32)((vx_uint32)(x) & 0xFFU) << 8)", "The version: major << 8 | minor."},
	{"vx.h", "VX_VERSION_MINOR(x)", "((vx_uint32)((vx_uint32)(x) & 0xFFU) << 0)", ""},
	{"vx.h", "VX_VERSION_1_0", "(VX_VERSION_MAJOR(1) | VX_VERSION_MINOR(0))", ""},
	{"vx.h", "VX_VERSION_1_1", "(VX_VERSION_MAJOR(1) | VX_VERSION_MINOR(1))", ""},
	{"vx.h", "VX_VERSION_1_2", "(VX_VERSION_MAJOR(1) | VX_VERSION_MINOR(2))", ""},
	{"vx.h", "VX_VERSION_1_3", "(VX_VERSION_MAJOR(1) | VX_VERSION_MINOR(3))", ""},
	{"vx.h", "VX_VERSION", "(VX_VERSION_1_3)", ""},

	{"vx_khr_nn.h", "OPENVX_KHR_NN", `"vx_khr_nn"`, "The name of the extension."},
	{"vx_khr_nn.h", "VX_LIBRARY_KHR_NN_EXTENSION", "(0x1)", "The library of the layers."},
	{"vx_khr_import_kernel.h", "OPENVX_KHR_IMPORT_KERNEL", `"vx_khr_import_kernel"`, "The name of the extension."},
}
