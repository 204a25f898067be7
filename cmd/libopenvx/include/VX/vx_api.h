/* SPDX-License-Identifier: Apache-2.0 */

/* Objects and graphs. */

#ifndef _OPENVX_API_H_
#define _OPENVX_API_H_

#include <VX/vx_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The address of an item of a mapped array, and the item. */
#define vxFormatArrayPointer(ptr, index, stride) (&(((vx_uint8 *)(ptr))[(index) * (stride)]))
#define vxArrayItem(type, ptr, index, stride) (*(type *)(vxFormatArrayPointer((ptr), (index), (stride))))

/* Creates a context, which owns all other objects. */
VX_API_ENTRY vx_context VX_API_CALL vxCreateContext(void);

/* Releases a context; with its last reference all of its objects end. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseContext(vx_context *context);

/* Returns the context of an object. */
VX_API_ENTRY vx_context VX_API_CALL vxGetContext(vx_reference reference);

/* Reads an attribute of a context; size is that of what ptr points to. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryContext(vx_context context, vx_enum attribute, void *ptr, vx_size size);

/* Changes an attribute of a context. */
VX_API_ENTRY vx_status VX_API_CALL vxSetContextAttribute(vx_context context, vx_enum attribute, const void *ptr,
        vx_size size);

/* Tells what the application prefers; an implementation may take no notice. */
VX_API_ENTRY vx_status VX_API_CALL vxHint(vx_reference reference, vx_enum hint, const void *data, vx_size data_size);

/* Switches log entries or measurements of time on or off, for an object or a whole context. */
VX_API_ENTRY vx_status VX_API_CALL vxDirective(vx_reference reference, vx_enum directive);

/* Returns VX_SUCCESS for an object, or why a constructor did not make one; VX_ERROR_NO_RESOURCES for NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxGetStatus(vx_reference reference);

/* Registers a structure of the application and returns its type, VX_TYPE_INVALID if that fails. */
VX_API_ENTRY vx_enum VX_API_CALL vxRegisterUserStruct(vx_context context, vx_size size);

/* Registers a structure of the application under a name and returns its type, VX_TYPE_INVALID if that fails. */
VX_API_ENTRY vx_enum VX_API_CALL vxRegisterUserStructWithName(vx_context context, vx_size size,
        const vx_char *type_name);

/* Copies the name of a registered structure to type_name, which has room for name_size characters. */
VX_API_ENTRY vx_status VX_API_CALL vxGetUserStructNameByEnum(vx_context context, vx_enum user_struct_type,
        vx_char *type_name, vx_size name_size);

/* Finds the type of a registered structure by its name. */
VX_API_ENTRY vx_status VX_API_CALL vxGetUserStructEnumByName(vx_context context, const vx_char *type_name,
        vx_enum *user_struct_type);

/* Gives a number for a kernel of the application that no other kernel of the context has. */
VX_API_ENTRY vx_status VX_API_CALL vxAllocateUserKernelId(vx_context context, vx_enum *pKernelEnumId);

/* Gives a number from 1 to 255 for a library of kernels of the application. */
VX_API_ENTRY vx_status VX_API_CALL vxAllocateUserKernelLibraryId(vx_context context, vx_enum *pLibraryId);

/* Chooses where the functions of vxu.h are performed. */
VX_API_ENTRY vx_status VX_API_CALL vxSetImmediateModeTarget(vx_context context, vx_enum target_enum,
        const char *target_string);

/* Reads an attribute that all objects have: count of references, type or name. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryReference(vx_reference ref, vx_enum attribute, void *ptr, vx_size size);

/* Releases an object of any type and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseReference(vx_reference *ref_ptr);

/* Adds a reference to an object, which takes one more release. */
VX_API_ENTRY vx_status VX_API_CALL vxRetainReference(vx_reference ref);

/* Names an object, with at most 63 bytes. */
VX_API_ENTRY vx_status VX_API_CALL vxSetReferenceName(vx_reference ref, const vx_char *name);

/* Gives the log callback a message, formatted as by printf and cut after 1023 bytes. */
VX_API_ENTRY void VX_API_CALL vxAddLogEntry(vx_reference ref, vx_status status, const char *message, ...);

/* Sets the function that is told of errors and other entries; NULL removes it. */
VX_API_ENTRY void VX_API_CALL vxRegisterLogCallback(vx_context context, vx_log_callback_f callback,
        vx_bool reentrant);

/* Makes functions of the application known as a library that vxLoadKernels finds by name. */
VX_API_ENTRY vx_status VX_API_CALL vxRegisterKernelLibrary(vx_context context, const vx_char *module,
        vx_publish_kernels_f publish, vx_unpublish_kernels_f unpublish);

/* Loads a registered library or a shared one, and has it publish its kernels. */
VX_API_ENTRY vx_status VX_API_CALL vxLoadKernels(vx_context context, const vx_char *module);

/* Has a loaded library withdraw its kernels, and unloads it. */
VX_API_ENTRY vx_status VX_API_CALL vxUnloadKernels(vx_context context, const vx_char *module);

/* Finds a kernel by its name. */
VX_API_ENTRY vx_kernel VX_API_CALL vxGetKernelByName(vx_context context, const vx_char *name);

/* Finds a kernel by its number. */
VX_API_ENTRY vx_kernel VX_API_CALL vxGetKernelByEnum(vx_context context, vx_enum kernel);

/* Reads an attribute of a kernel. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryKernel(vx_kernel kernel, vx_enum attribute, void *ptr, vx_size size);

/* Releases a kernel and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseKernel(vx_kernel *kernel);

/* Adds a kernel of the application; vxAddParameterToKernel for each parameter and vxFinalizeKernel complete it. */
VX_API_ENTRY vx_kernel VX_API_CALL vxAddUserKernel(vx_context context, const vx_char *name, vx_enum enumeration,
        vx_kernel_f func_ptr, vx_uint32 numParams, vx_kernel_validate_f validate, vx_kernel_initialize_f init,
        vx_kernel_deinitialize_f deinit);

/* Completes a kernel of the application, so that nodes can use it. */
VX_API_ENTRY vx_status VX_API_CALL vxFinalizeKernel(vx_kernel kernel);

/* Declares a parameter of a kernel of the application. */
VX_API_ENTRY vx_status VX_API_CALL vxAddParameterToKernel(vx_kernel kernel, vx_uint32 index, vx_enum dir,
        vx_enum data_type, vx_enum state);

/* Withdraws a kernel of the application and releases this reference to it. */
VX_API_ENTRY vx_status VX_API_CALL vxRemoveKernel(vx_kernel kernel);

/* Changes an attribute of a kernel that is not complete yet. */
VX_API_ENTRY vx_status VX_API_CALL vxSetKernelAttribute(vx_kernel kernel, vx_enum attribute, const void *ptr,
        vx_size size);

/* Returns a parameter of a kernel. */
VX_API_ENTRY vx_parameter VX_API_CALL vxGetKernelParameterByIndex(vx_kernel kernel, vx_uint32 index);

/* Creates an empty graph. */
VX_API_ENTRY vx_graph VX_API_CALL vxCreateGraph(vx_context context);

/* Releases a graph, and with its last reference its nodes and virtual objects; sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseGraph(vx_graph *graph);

/* Checks a graph, completes its virtual objects and compiles it. */
VX_API_ENTRY vx_status VX_API_CALL vxVerifyGraph(vx_graph graph);

/* Runs a graph once and waits for it; verifies it first when that is needed. */
VX_API_ENTRY vx_status VX_API_CALL vxProcessGraph(vx_graph graph);

/* Begins to run a graph and does not wait; verifies it first when that is needed. */
VX_API_ENTRY vx_status VX_API_CALL vxScheduleGraph(vx_graph graph);

/* Waits for the run that vxScheduleGraph began and returns what became of it. */
VX_API_ENTRY vx_status VX_API_CALL vxWaitGraph(vx_graph graph);

/* Reads an attribute of a graph. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryGraph(vx_graph graph, vx_enum attribute, void *ptr, vx_size size);

/* Changes an attribute of a graph; no attribute of the standard can be changed. */
VX_API_ENTRY vx_status VX_API_CALL vxSetGraphAttribute(vx_graph graph, vx_enum attribute, const void *ptr,
        vx_size size);

/* Makes a parameter of a node the next parameter of the graph. */
VX_API_ENTRY vx_status VX_API_CALL vxAddParameterToGraph(vx_graph graph, vx_parameter parameter);

/* Sets a parameter of a graph. */
VX_API_ENTRY vx_status VX_API_CALL vxSetGraphParameterByIndex(vx_graph graph, vx_uint32 index, vx_reference value);

/* Returns a parameter of a graph. */
VX_API_ENTRY vx_parameter VX_API_CALL vxGetGraphParameterByIndex(vx_graph graph, vx_uint32 index);

/* Says whether a graph is verified. */
VX_API_ENTRY vx_bool VX_API_CALL vxIsGraphVerified(vx_graph graph);

/* Adds a node of a kernel to a graph, with no parameter set. */
VX_API_ENTRY vx_node VX_API_CALL vxCreateGenericNode(vx_graph graph, vx_kernel kernel);

/* Reads an attribute of a node. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryNode(vx_node node, vx_enum attribute, void *ptr, vx_size size);

/* Changes an attribute of a node. */
VX_API_ENTRY vx_status VX_API_CALL vxSetNodeAttribute(vx_node node, vx_enum attribute, const void *ptr, vx_size size);

/* Releases a node, which stays in its graph, and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseNode(vx_node *node);

/* Takes a node out of its graph, releases it and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxRemoveNode(vx_node *node);

/* Sets the function that is called when a node has run; NULL removes it. */
VX_API_ENTRY vx_status VX_API_CALL vxAssignNodeCallback(vx_node node, vx_nodecomplete_f callback);

/* Returns the function that is called when a node has run. */
VX_API_ENTRY vx_nodecomplete_f VX_API_CALL vxRetrieveNodeCallback(vx_node node);

/* Chooses where a node is performed. */
VX_API_ENTRY vx_status VX_API_CALL vxSetNodeTarget(vx_node node, vx_enum target_enum, const char *target_string);

/* Has a node run for each item of the object arrays to whose first items it refers. */
VX_API_ENTRY vx_status VX_API_CALL vxReplicateNode(vx_graph graph, vx_node first_node, vx_bool *replicate,
        vx_uint32 number_of_parameters);

/* Returns a parameter of a node. */
VX_API_ENTRY vx_parameter VX_API_CALL vxGetParameterByIndex(vx_node node, vx_uint32 index);

/* Releases a parameter and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseParameter(vx_parameter *param);

/* Sets a parameter of a node. */
VX_API_ENTRY vx_status VX_API_CALL vxSetParameterByIndex(vx_node node, vx_uint32 index, vx_reference value);

/* Sets a parameter of a node. */
VX_API_ENTRY vx_status VX_API_CALL vxSetParameterByReference(vx_parameter parameter, vx_reference value);

/* Reads an attribute of a parameter. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryParameter(vx_parameter parameter, vx_enum attribute, void *ptr,
        vx_size size);

/* Says one thing of the result that a kernel of the application gives. */
VX_API_ENTRY vx_status VX_API_CALL vxSetMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, const void *ptr,
        vx_size size);

/* Says that the result of a kernel of the application is like an object. */
VX_API_ENTRY vx_status VX_API_CALL vxSetMetaFormatFromReference(vx_meta_format meta, vx_reference exemplar);

/* Reads what is known of an object that a parameter takes. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, void *ptr,
        vx_size size);

/* Creates a tensor of zeros; dims[0] is the extent of the dimension that runs fastest. */
VX_API_ENTRY vx_tensor VX_API_CALL vxCreateTensor(vx_context context, vx_size number_of_dims, const vx_size *dims,
        vx_enum data_type, vx_int8 fixed_point_position);

/* Creates an array of images that are planes of a tensor with three dimensions and share its memory. */
VX_API_ENTRY vx_object_array VX_API_CALL vxCreateImageObjectArrayFromTensor(vx_tensor tensor,
        const vx_rectangle_t *rect, vx_size array_size, vx_size jump, vx_df_image image_format);

/* Creates a tensor that is a part of another and shares its memory; the ends are exclusive. */
VX_API_ENTRY vx_tensor VX_API_CALL vxCreateTensorFromView(vx_tensor tensor, vx_size number_of_dims,
        const vx_size *view_start, const vx_size *view_end);

/* Creates a tensor that carries data between nodes of one graph only. */
VX_API_ENTRY vx_tensor VX_API_CALL vxCreateVirtualTensor(vx_graph graph, vx_size number_of_dims,
        const vx_size *dims, vx_enum data_type, vx_int8 fixed_point_position);

/* Creates a tensor over memory of the application, with strides in bytes. */
VX_API_ENTRY vx_tensor VX_API_CALL vxCreateTensorFromHandle(vx_context context, vx_size number_of_dims,
        const vx_size *dims, vx_enum data_type, vx_int8 fixed_point_position, const vx_size *stride, void *ptr,
        vx_enum memory_type);

/* Exchanges the memory of a tensor over memory of the application. */
VX_API_ENTRY vx_status VX_API_CALL vxSwapTensorHandle(vx_tensor tensor, void *new_ptr, void **prev_ptr);

/* Copies a part of a tensor to memory of the application (VX_READ_ONLY) or from there (VX_WRITE_ONLY). */
VX_API_ENTRY vx_status VX_API_CALL vxCopyTensorPatch(vx_tensor tensor, vx_size number_of_dims,
        const vx_size *view_start, const vx_size *view_end, const vx_size *user_stride, void *user_ptr,
        vx_enum usage, vx_enum user_memory_type);

/* Gives access to a part of a tensor until it is unmapped; stride receives strides in bytes. */
VX_API_ENTRY vx_status VX_API_CALL vxMapTensorPatch(vx_tensor tensor, vx_size number_of_dims,
        const vx_size *view_start, const vx_size *view_end, vx_map_id *map_id, vx_size *stride, void **ptr,
        vx_enum usage, vx_enum mem_type);

/* Ends the access that vxMapTensorPatch gave. */
VX_API_ENTRY vx_status VX_API_CALL vxUnmapTensorPatch(vx_tensor tensor, vx_map_id map_id);

/* Reads an attribute of a tensor. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryTensor(vx_tensor tensor, vx_enum attribute, void *ptr, vx_size size);

/* Releases a tensor and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseTensor(vx_tensor *tensor);

/* Creates a scalar; NULL leaves its value open. */
VX_API_ENTRY vx_scalar VX_API_CALL vxCreateScalar(vx_context context, vx_enum data_type, const void *ptr);

/* Creates a scalar of any type, structures included; size is that of the value in bytes. */
VX_API_ENTRY vx_scalar VX_API_CALL vxCreateScalarWithSize(vx_context context, vx_enum data_type, const void *ptr,
        vx_size size);

/* Creates a scalar that carries a value between nodes of one graph only. */
VX_API_ENTRY vx_scalar VX_API_CALL vxCreateVirtualScalar(vx_graph graph, vx_enum data_type);

/* Releases a scalar and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseScalar(vx_scalar *scalar);

/* Reads an attribute of a scalar. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryScalar(vx_scalar scalar, vx_enum attribute, void *ptr, vx_size size);

/* Copies the value of a scalar to memory of the application (VX_READ_ONLY) or from there (VX_WRITE_ONLY). */
VX_API_ENTRY vx_status VX_API_CALL vxCopyScalar(vx_scalar scalar, void *user_ptr, vx_enum usage,
        vx_enum user_mem_type);

/* Copies the value of a scalar, of size bytes. */
VX_API_ENTRY vx_status VX_API_CALL vxCopyScalarWithSize(vx_scalar scalar, vx_size size, void *user_ptr,
        vx_enum usage, vx_enum user_mem_type);

/* Creates a look-up table of count entries. */
VX_API_ENTRY vx_lut VX_API_CALL vxCreateLUT(vx_context context, vx_enum data_type, vx_size count);

/* Creates a look-up table that carries data between nodes of one graph only. */
VX_API_ENTRY vx_lut VX_API_CALL vxCreateVirtualLUT(vx_graph graph, vx_enum data_type, vx_size count);

/* Releases a look-up table and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseLUT(vx_lut *lut);

/* Reads an attribute of a look-up table. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryLUT(vx_lut lut, vx_enum attribute, void *ptr, vx_size size);

/* Copies all entries to memory of the application (VX_READ_ONLY) or from there (VX_WRITE_ONLY). */
VX_API_ENTRY vx_status VX_API_CALL vxCopyLUT(vx_lut lut, void *user_ptr, vx_enum usage, vx_enum user_mem_type);

/* Gives access to the entries until they are unmapped. */
VX_API_ENTRY vx_status VX_API_CALL vxMapLUT(vx_lut lut, vx_map_id *map_id, void **ptr, vx_enum usage,
        vx_enum mem_type, vx_bitfield flags);

/* Ends the access that vxMapLUT gave. */
VX_API_ENTRY vx_status VX_API_CALL vxUnmapLUT(vx_lut lut, vx_map_id map_id);

/* Creates num_slots objects like the exemplar that take turns. */
VX_API_ENTRY vx_delay VX_API_CALL vxCreateDelay(vx_context context, vx_reference exemplar, vx_size num_slots);

/* Returns an object of a delay: 0 is the current one, -1 the one before; it belongs to the delay. */
VX_API_ENTRY vx_reference VX_API_CALL vxGetReferenceFromDelay(vx_delay delay, vx_int32 index);

/* Moves the contents of each slot to the next older one, and those of the oldest to slot 0. */
VX_API_ENTRY vx_status VX_API_CALL vxAgeDelay(vx_delay delay);

/* Has a delay age after each run of a graph. */
VX_API_ENTRY vx_status VX_API_CALL vxRegisterAutoAging(vx_graph graph, vx_delay delay);

/* Reads an attribute of a delay. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryDelay(vx_delay delay, vx_enum attribute, void *ptr, vx_size size);

/* Releases a delay and its objects, and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseDelay(vx_delay *delay);

/* Returns an item of an object array, with a reference of its own. */
VX_API_ENTRY vx_reference VX_API_CALL vxGetObjectArrayItem(vx_object_array arr, vx_uint32 index);

/* Reads an attribute of an object array. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryObjectArray(vx_object_array arr, vx_enum attribute, void *ptr,
        vx_size size);

/* Releases an object array and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseObjectArray(vx_object_array *arr);

/* Creates an image. */
VX_API_ENTRY vx_image VX_API_CALL vxCreateImage(vx_context context, vx_uint32 width, vx_uint32 height,
        vx_df_image color);

/* Creates an image that carries data between nodes of one graph only. */
VX_API_ENTRY vx_image VX_API_CALL vxCreateVirtualImage(vx_graph graph, vx_uint32 width, vx_uint32 height,
        vx_df_image color);

/* Creates an image that is a part of another and shares its memory. */
VX_API_ENTRY vx_image VX_API_CALL vxCreateImageFromROI(vx_image img, const vx_rectangle_t *rect);

/* Reads an attribute of an image. */
VX_API_ENTRY vx_status VX_API_CALL vxQueryImage(vx_image image, vx_enum attribute, void *ptr, vx_size size);

/* Releases an image and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseImage(vx_image *image);

/* Reads the part of an image that is valid. */
VX_API_ENTRY vx_status VX_API_CALL vxGetValidRegionImage(vx_image image, vx_rectangle_t *rect);

/* Copies a part of a plane to memory of the application (VX_READ_ONLY) or from there (VX_WRITE_ONLY). */
VX_API_ENTRY vx_status VX_API_CALL vxCopyImagePatch(vx_image image, const vx_rectangle_t *image_rect,
        vx_uint32 image_plane_index, const vx_imagepatch_addressing_t *user_addr, void *user_ptr, vx_enum usage,
        vx_enum user_mem_type);

/* Gives access to a part of a plane until it is unmapped. */
VX_API_ENTRY vx_status VX_API_CALL vxMapImagePatch(vx_image image, const vx_rectangle_t *rect,
        vx_uint32 plane_index, vx_map_id *map_id, vx_imagepatch_addressing_t *addr, void **ptr, vx_enum usage,
        vx_enum mem_type, vx_uint32 flags);

/* Ends the access that vxMapImagePatch gave. */
VX_API_ENTRY vx_status VX_API_CALL vxUnmapImagePatch(vx_image image, vx_map_id map_id);

/* Computes where a pixel of a patch lies. */
VX_API_ENTRY void *VX_API_CALL vxFormatImagePatchAddress2d(void *ptr, vx_uint32 x, vx_uint32 y,
        const vx_imagepatch_addressing_t *addr);

#ifdef __cplusplus
}
#endif

#endif
