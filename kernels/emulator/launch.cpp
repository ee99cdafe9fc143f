// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels by name, and their launches: all blocks in an order by seed, and signals turned into messages.
#include "emulator.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "block.h"

namespace emulator {

static const Kernel *kernels = nullptr;

Kernel::Kernel(const char *name, const char *file, size_t bytes, Entry entry)
    : name(name), file(file), bytes(bytes), entry(entry), next(kernels) {
    kernels = this;
}

// Whether it has this name and its source file is `image` with some ending; any file where `image` is null.
bool Kernel::is(const char *image, const char *wanted) const {
    if (strcmp(name, wanted) != 0) {
        return false;
    }
    const char *const slash = strrchr(file, '/');
    const char *const base = slash != nullptr ? slash + 1 : file;
    return image == nullptr || (strncmp(base, image, strlen(image)) == 0 && base[strlen(image)] == '.');
}

const Kernel *Kernel::find(const char *image, const char *name) {
    const Kernel *kernel = kernels;
    while (kernel != nullptr && !kernel->is(image, name)) {
        kernel = kernel->next;
    }
    return kernel;
}

// Stacks that no launch uses now. There are as many as threads of the host ever launched at once.
static std::mutex spare_lock;
static std::vector<std::unique_ptr<Stacks>> spare;

class BorrowedStacks {
  public:
    BorrowedStacks() {
        const std::lock_guard<std::mutex> guard(spare_lock);
        if (spare.empty()) {
            spare.push_back(std::make_unique<Stacks>());
        }
        stacks = std::move(spare.back());
        spare.pop_back();
    }
    ~BorrowedStacks() {
        const std::lock_guard<std::mutex> guard(spare_lock);
        spare.push_back(std::move(stacks));
    }
    Stacks &operator*() const { return *stacks; }

  private:
    std::unique_ptr<Stacks> stacks;
};

static __thread uint64_t fault = 0;
static __thread const Stacks *stacks_in_use = nullptr;

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction former[3];

// A signal that a kernel raised ends its launch. Any other goes to whoever had the signal before.
static void on_signal(int signal, siginfo_t *information, void *) {
    if (current == nullptr) {
        for (size_t i = 0; i < 3; i++) {
            if (caught[i] == signal) {
                sigaction(signal, &former[i], nullptr); // raised again on return, as the instruction runs again
            }
        }
        return;
    }
    if (signal == SIGFPE) {
        fail("thread %u divides by zero", current->index.x);
    }
    if (stacks_in_use->guards(information->si_addr)) {
        fail("thread %u has no stack left", current->index.x);
    }
    current->block->fault = reinterpret_cast<uintptr_t>(information->si_addr);
    fail("thread %u touches %p", current->index.x, information->si_addr);
}

static void catch_signals() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = on_signal;
        // The handler does not return but abandons the fibre: the signal must not stay blocked.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (size_t i = 0; i < 3; i++) {
            sigaction(caught[i], &action, &former[i]);
        }
    });
}

// A stack for the handler, as the fibre's own may be full. Most threads of Rust programs have one.
class SignalStack {
  public:
    SignalStack() {
        sigaltstack(nullptr, &former);
        if (former.ss_flags & SS_DISABLE) {
            memory = std::make_unique<char[]>(bytes);
            const stack_t mine = {memory.get(), 0, bytes};
            sigaltstack(&mine, nullptr);
        }
    }
    ~SignalStack() {
        if (memory) {
            sigaltstack(&former, nullptr);
        }
    }

  private:
    static const size_t bytes = 64 << 10;
    stack_t former;
    std::unique_ptr<char[]> memory;
};

static uint3 block_index(uint32_t number, dim3 grid) {
    return {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
}

// What is wrong with a launch before it starts; null if nothing.
static const char *refusal(const EmulatedLaunch &launch, const Kernel *kernel) {
    const uint32_t *grid = launch.grid;
    if (kernel == nullptr) {
        return "no such kernel";
    }
    if (launch.bytes != kernel->bytes) {
        return "the parameters are not of the kernel's size";
    }
    if (launch.block == 0 || launch.block > Block::most_threads) {
        return "a block has 1 to 1024 threads";
    }
    if (launch.shared > Block::most_shared_bytes) {
        return "a block has at most 101376 bytes of shared memory";
    }
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[1] > 65535 || grid[2] > 65535 || grid[0] > 0x7fffffff) {
        return "a grid has 1 to 2147483647 blocks in x, and 1 to 65535 in y and z";
    }
    if (double(grid[0]) * grid[1] * grid[2] > 1 << 24) {
        return "more blocks than the emulator runs";
    }
    return nullptr;
}

static int run(const EmulatedLaunch &launch, const Kernel &kernel, char *message, size_t room) {
    // Parameters lie where their alignment holds, and where kernels may not change the caller's.
    alignas(64) char parameters[4096];
    memcpy(parameters, launch.parameters, launch.bytes);
    const dim3 grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    std::vector<uint32_t> order(size_t(grid.x) * grid.y * grid.z);
    std::iota(order.begin(), order.end(), 0);
    Random random(launch.seed);
    const SignalStack signal_stack;
    const BorrowedStacks stacks;
    stacks_in_use = &*stacks;
    Races races;
    const auto block =
        std::make_unique<Block>(kernel, parameters, grid, launch.block, launch.shared, *stacks, races);
    for (size_t left = order.size(); left != 0; left--) {
        std::swap(order[random.below(uint32_t(left))], order[left - 1]);
        const uint3 index = block_index(order[left - 1], grid);
        if (!block->run(index, random.next())) {
            snprintf(message, room, "kernel %s, block (%u, %u, %u) of (%u, %u, %u), seed %llu: %s", kernel.name, index.x,
                     index.y, index.z, grid.x, grid.y, grid.z, (unsigned long long)launch.seed, block->message);
            fault = block->fault;
            return -1;
        }
    }
    return 0;
}

} // namespace emulator

int vmaf_emulator_parameters(const char *image, const char *kernel, size_t *bytes) {
    const emulator::Kernel *const found = emulator::Kernel::find(image, kernel);
    if (found == nullptr) {
        return -1;
    }
    *bytes = found->bytes;
    return 0;
}

int vmaf_emulator_launch(const EmulatedLaunch *launch, char *message, size_t room) {
    emulator::fault = 0;
    const emulator::Kernel *const kernel = emulator::Kernel::find(nullptr, launch->kernel);
    const char *const refusal = emulator::refusal(*launch, kernel);
    if (refusal != nullptr) {
        snprintf(message, room, "kernel %s: %s", launch->kernel, refusal);
        return -1;
    }
    emulator::catch_signals();
    return emulator::run(*launch, *kernel, message, room);
}

uint64_t vmaf_emulator_fault(void) { return emulator::fault; }
