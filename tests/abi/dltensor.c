/* Compares atc_tensor_view with DLTensor of the system's DLPack header, field by field. */
#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "atc/base.h"

#define SAME(condition) _Static_assert(condition, #condition)
#define SAME_FIELD(ours, our_field, theirs, their_field)            \
  SAME(offsetof(ours, our_field) == offsetof(theirs, their_field)); \
  SAME(sizeof(((ours*)0)->our_field) == sizeof(((theirs*)0)->their_field))

SAME(sizeof(atc_tensor_view) == sizeof(DLTensor));
SAME(_Alignof(atc_tensor_view) == _Alignof(DLTensor));
SAME_FIELD(atc_tensor_view, data, DLTensor, data);
SAME_FIELD(atc_tensor_view, device, DLTensor, device);
SAME_FIELD(atc_tensor_view, ndim, DLTensor, ndim);
SAME_FIELD(atc_tensor_view, dtype, DLTensor, dtype);
SAME_FIELD(atc_tensor_view, shape, DLTensor, shape);
SAME_FIELD(atc_tensor_view, strides, DLTensor, strides);
SAME_FIELD(atc_tensor_view, byte_offset, DLTensor, byte_offset);

SAME(sizeof(atc_device) == sizeof(DLDevice));
SAME(_Alignof(atc_device) == _Alignof(DLDevice));
SAME_FIELD(atc_device, type, DLDevice, device_type);
SAME_FIELD(atc_device, index, DLDevice, device_id);

SAME(sizeof(atc_data_type) == sizeof(DLDataType));
SAME(_Alignof(atc_data_type) == _Alignof(DLDataType));
SAME_FIELD(atc_data_type, code, DLDataType, code);
SAME_FIELD(atc_data_type, bits, DLDataType, bits);
SAME_FIELD(atc_data_type, lanes, DLDataType, lanes);

SAME((int)ATC_DEVICE_CPU == (int)kDLCPU);
SAME((int)ATC_DEVICE_CUDA == (int)kDLCUDA);
SAME((int)ATC_CODE_FLOAT == (int)kDLFloat);
SAME((int)ATC_CODE_BFLOAT == (int)kDLBfloat);

/* Writes a tensor as an atc_tensor_view and reads the same bytes as a DLTensor. */
int main(void) {
  int64_t shape[2] = {3, 5};
  int64_t strides[2] = {5, 1};
  float data[15] = {0};
  const DLTensor theirs = {data, {kDLCPU, 7}, 2, {kDLFloat, 32, 1}, shape, strides, 8};
  atc_tensor_view ours;
  memcpy(&ours, &theirs, sizeof ours);
  const int equal = ours.data == data && ours.device.type == ATC_DEVICE_CPU &&
                    ours.device.index == 7 && ours.ndim == 2 && ours.dtype.code == ATC_CODE_FLOAT &&
                    ours.dtype.bits == 32 && ours.dtype.lanes == 1 && ours.shape[1] == 5 &&
                    ours.strides[0] == 5 && ours.byte_offset == 8;
  puts(equal ? "equal" : "a field of the view is not the field of the DLTensor");
  return !equal;
}
