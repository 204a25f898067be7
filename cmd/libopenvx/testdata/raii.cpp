// How programs in C++ use the library: handles in owning classes, errors as exceptions, kernels as lambdas.
#include "check.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace vx {

struct error : std::runtime_error {
    vx_status status;
    explicit error(vx_status s) : std::runtime_error("OpenVX status " + std::to_string(s)), status(s) {}
};

inline void check(vx_status s) { if (s != VX_SUCCESS) throw error(s); }

/* owner releases what it holds, of whatever kind, as a reference. */
template <typename T> class owner {
    T handle_ = nullptr;

public:
    owner() = default;
    explicit owner(T h) : handle_(h) { check(vxGetStatus(reinterpret_cast<vx_reference>(h))); }
    owner(owner &&o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
    owner &operator=(owner &&o) noexcept { std::swap(handle_, o.handle_); return *this; }
    owner(const owner &o) : handle_(o.handle_) { if (handle_) check(vxRetainReference(reinterpret_cast<vx_reference>(handle_))); }
    ~owner()
    {
        vx_reference r = reinterpret_cast<vx_reference>(handle_);
        if (r)
            OK(vxReleaseReference(&r));
    }
    T get() const { return handle_; }
    operator T() const { return handle_; }
};

using context = std::unique_ptr<std::remove_pointer_t<vx_context>, void (*)(vx_context)>;
using tensor = owner<vx_tensor>;
using graph = owner<vx_graph>;
using node = owner<vx_node>;
using kernel = owner<vx_kernel>;

inline context open()
{
    return context(vxCreateContext(), [](vx_context c) { OK(vxReleaseContext(&c)); });
}

inline tensor make(vx_context c, const std::vector<vx_size> &dims, const std::vector<vx_float32> &values = {})
{
    tensor t(vxCreateTensor(c, dims.size(), dims.data(), VX_TYPE_FLOAT32, 0));
    if (!values.empty()) {
        std::vector<vx_size> start(dims.size()), stride(dims.size(), sizeof values[0]);
        for (std::size_t i = 1; i < dims.size(); i++)
            stride[i] = stride[i - 1] * dims[i - 1];
        check(vxCopyTensorPatch(t, dims.size(), start.data(), dims.data(), stride.data(), const_cast<vx_float32 *>(values.data()),
                                VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    }
    return t;
}

/* mapped is the elements of a tensor while it lives. */
class mapped {
    vx_tensor of_;
    vx_map_id id_ = 0;
    vx_size strides_[6] = {};
    void *data_ = nullptr;

public:
    mapped(vx_tensor of, vx_size rank, vx_enum usage) : of_(of)
    {
        check(vxMapTensorPatch(of, rank, nullptr, nullptr, &id_, strides_, &data_, usage, VX_MEMORY_TYPE_HOST));
    }
    mapped(const mapped &) = delete;
    mapped &operator=(const mapped &) = delete;
    ~mapped() { OK(vxUnmapTensorPatch(of_, id_)); }
    vx_float32 &at(vx_size i) { return *reinterpret_cast<vx_float32 *>(static_cast<char *>(data_) + i * strides_[0]); }
};

} // namespace vx

static std::string last_entry;

int main()
{
    auto context = vx::open();
    auto c = context.get();
    vxRegisterLogCallback(c, [](vx_context, vx_reference, vx_status, const vx_char text[]) { last_entry = text; }, vx_false_e);
    const auto before = references(c);
    {
        vx_enum id = 0;
        vx::check(vxAllocateUserKernelId(c, &id));
        auto k = vxAddUserKernel(c, "cpp.negate", id,
            [](vx_node, const vx_reference *params, vx_uint32) -> vx_status {
                try {
                    vx::mapped in(reinterpret_cast<vx_tensor>(params[0]), 1, VX_READ_ONLY);
                    vx::mapped out(reinterpret_cast<vx_tensor>(params[1]), 1, VX_WRITE_ONLY);
                    for (vx_size i = 0; i < 3; i++)
                        out.at(i) = -in.at(i);
                    if (out.at(0) == -100)
                        throw vx::error(-1234); /* it ends here, as one must not pass through the library */
                } catch (const vx::error &e) {
                    return e.status;
                }
                return VX_SUCCESS;
            }, 2,
            [](vx_node, const vx_reference params[], vx_uint32, vx_meta_format metas[]) -> vx_status {
                return vxSetMetaFormatFromReference(metas[1], params[0]);
            }, nullptr, nullptr);
        vx::check(vxGetStatus(reinterpret_cast<vx_reference>(k)));
        vx::check(vxAddParameterToKernel(k, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
        vx::check(vxAddParameterToKernel(k, 1, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
        vx::check(vxFinalizeKernel(k));
        {
            auto in = vx::make(c, {3}, {1, -2, 3.5f}), out = vx::make(c, {3});
            vx::graph graph(vxCreateGraph(c));
            vx::tensor between(vxCreateVirtualTensor(graph, 0, nullptr, VX_TYPE_FLOAT32, 0));
            std::vector<vx::node> nodes;
            nodes.emplace_back(vxCreateGenericNode(graph, k));
            vx::check(vxSetParameterByIndex(nodes[0], 0, reinterpret_cast<vx_reference>(in.get())));
            vx::check(vxSetParameterByIndex(nodes[0], 1, reinterpret_cast<vx_reference>(between.get())));
            nodes.emplace_back(vxActivationLayer(graph, between, VX_NN_ACTIVATION_RELU, 0, 0, out));
            auto copy = graph;
            vx::check(vxProcessGraph(copy));
            vx::mapped result(out, 1, VX_READ_ONLY);
            CHECK(result.at(0) == 0 && result.at(1) == 2 && result.at(2) == 0);
            { vx::mapped(in, 1, VX_READ_AND_WRITE).at(0) = 100; }
            CHECK_STATUS(vxProcessGraph(graph), -1234);
            CHECK(last_entry.find("cpp.negate") != std::string::npos || last_entry.find("negate") != std::string::npos);
            nodes.clear(); /* before the graph, or with it: both are done */
        }
        try {
            vx::make(c, {0});
            CHECK(!"a tensor without elements");
        } catch (const vx::error &e) {
            CHECK(e.status == VX_ERROR_INVALID_DIMENSION);
        }
        vx::check(vxRemoveKernel(k));
    }
    CHECK(references(c) == before);
    context.reset();
    return finish("raii");
}
