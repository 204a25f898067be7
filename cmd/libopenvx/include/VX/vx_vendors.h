/* SPDX-License-Identifier: Apache-2.0 */

/* Numbers of vendors. */

#ifndef _OPENVX_VENDORS_H_
#define _OPENVX_VENDORS_H_


#ifdef __cplusplus
extern "C" {
#endif

/* Vendors; the number stands in all constants that are their own. */
enum vx_vendor_id_e {
    VX_ID_KHRONOS = 0,
    VX_ID_TI = 1,
    VX_ID_QUALCOMM = 2,
    VX_ID_NVIDIA = 3,
    VX_ID_ARM = 4,
    VX_ID_BDTI = 5,
    VX_ID_RENESAS = 6,
    VX_ID_VIVANTE = 7,
    VX_ID_XILINX = 8,
    VX_ID_AXIS = 9,
    VX_ID_MOVIDIUS = 0xA,
    VX_ID_SAMSUNG = 0xB,
    VX_ID_FREESCALE = 0xC,
    VX_ID_AMD = 0xD,
    VX_ID_BROADCOM = 0xE,
    VX_ID_INTEL = 0xF,
    VX_ID_MARVELL = 0x10,
    VX_ID_MEDIATEK = 0x11,
    VX_ID_ST = 0x12,
    VX_ID_CEVA = 0x13,
    VX_ID_ITSEEZ = 0x14,
    VX_ID_IMAGINATION = 0x15,
    VX_ID_NXP = 0x16,
    VX_ID_VIDEANTIS = 0x17,
    VX_ID_SYNOPSYS = 0x18,
    VX_ID_CADENCE = 0x19,
    VX_ID_HUAWEI = 0x1A,
    VX_ID_SOCIONEXT = 0x1B,
    VX_ID_USER = 0xFFE, /* kernels of applications */
    VX_ID_MAX = 0xFFF,
    VX_ID_DEFAULT = 0xFFF /* vendors without a number, such as this library */
};

#ifdef __cplusplus
}
#endif

#endif
