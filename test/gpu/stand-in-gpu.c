// Stands in for llama.cpp's library of a GPU in tests. It computes on the CPU, until a file `orders` beside it tells it to
// fail: "abort 3 512" ends the process in the fourth graph that has 512 tokens or more. NAME is "CUDA" or "Vulkan".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What is filled here of ggml-backend-impl.h, in its order, and numbers of its enumerations.
enum { API_VERSION = 2, TYPE_CPU = 0, TYPE_GPU = 1, LOG_ERROR = 4, STATUS_FAILED = -1 };

struct properties {
  const char *name, *description;
  size_t memory_free, memory_total;
  int type;
  const char *device_id;
  bool async, host_buffer, buffer_from_host_ptr, events, mmap_support;
};

struct backend {
  void *guid;
  const char *(*get_name)(struct backend *);
  void (*free)(struct backend *);
  void *transfers[5];
  void *synchronize;
  void *plans[4];
  int (*graph_compute)(struct backend *, void *);
  void *optional[3];
  struct device *device;
  void *context;
};

struct device {
  const char *(*get_name)(struct device *);
  const char *(*get_description)(struct device *);
  void (*get_memory)(struct device *, size_t *, size_t *);
  int (*get_type)(struct device *);
  void (*get_properties)(struct device *, struct properties *);
  struct backend *(*init_backend)(struct device *, const char *);
  void *(*get_buffer_type)(struct device *);
  void *get_host_buffer_type;
  void *buffer_from_host_ptr;
  bool (*supports_op)(struct device *, const void *);
  bool (*supports_buffer_type)(struct device *, void *);
  void *optional[4];
  struct registration *registration;
  void *context;
};

struct registration {
  int api_version;
  const char *(*get_name)(struct registration *);
  size_t (*get_device_count)(struct registration *);
  struct device *(*get_device)(struct registration *, size_t);
  void *(*get_proc_address)(struct registration *, const char *);
  void *context;
};

extern void *ggml_backend_cpu_buffer_type(void);
extern bool ggml_backend_buft_is_host(void *);
extern bool ggml_backend_dev_supports_op(void *, const void *);
extern void *ggml_backend_dev_by_type(int);
extern void *ggml_backend_dev_backend_reg(void *);
extern void *ggml_backend_reg_get_proc_address(void *, const char *);
extern void *ggml_backend_dev_init(void *, const char *);
extern void ggml_backend_free(void *);
extern int ggml_backend_graph_compute(void *, void *);
extern void *ggml_graph_node(void *, int);
extern int64_t ggml_nrows(const void *);
extern void ggml_log_internal(int, const char *, ...);
extern void ggml_abort(const char *, int, const char *, ...);

static const size_t MEMORY = (size_t)8 << 30;
static struct registration registration;
static struct device device;

/** Returns what to do, or an empty string. */
static const char *read_orders(int *after, int *tokens) {
  static char what[32];
  char path[4096];
  Dl_info self;
  what[0] = 0;
  dladdr(&registration, &self);
  snprintf(path, sizeof path - 8, "%s", self.dli_fname);
  strcat(dirname(path), "/orders");
  FILE *file = fopen(path, "r");
  if (!file) return what;
  if (fscanf(file, "%31s %d %d", what, after, tokens) < 1) what[0] = 0;
  fclose(file);
  return what;
}

static int follow_orders(void *graph) {
  static int followed;
  int after = 0, tokens = 0;
  const char *what = read_orders(&after, &tokens);
  if (!what[0] || ggml_nrows(ggml_graph_node(graph, 0)) < tokens || followed++ < after) return 0;
  // Native code may print anything.
  ggml_log_internal(LOG_ERROR, "a prompt: %s\n", "canary-of-the-log");
  fprintf(stderr, "a prompt: canary-of-the-output\n");
  if (!strcmp(what, "abort")) {
    ggml_log_internal(LOG_ERROR, NAME " error: %s\n", "the provided PTX was compiled with an unsupported toolchain.");
    ggml_abort("/build/ggml/src/ggml-gpu.cu", 98, NAME " error");
  }
  if (!strcmp(what, "crash")) raise(SIGSEGV);
  if (!strcmp(what, "exit")) _exit(3);
  if (!strcmp(what, "hang")) for (;;) pause();
  return !strcmp(what, "fail") ? STATUS_FAILED : 0;
}

static const char *backend_name(struct backend *backend) { return NAME "0"; }
static void backend_free(struct backend *backend) {
  ggml_backend_free(backend->context);
  free(backend);
}
static int backend_compute(struct backend *backend, void *graph) {
  const int status = follow_orders(graph);
  return status ? status : ggml_backend_graph_compute(backend->context, graph);
}

static const char *device_name(struct device *d) { return NAME "0"; }
static const char *device_description(struct device *d) { return "Stand-in GPU"; }
static void device_memory(struct device *d, size_t *free_bytes, size_t *total) { *free_bytes = *total = MEMORY; }
static int device_type(struct device *d) { return TYPE_GPU; }
static void device_properties(struct device *d, struct properties *properties) {
  *properties = (struct properties){
      .name = device_name(d),
      .description = device_description(d),
      .memory_free = MEMORY,
      .memory_total = MEMORY,
      .type = TYPE_GPU,
  };
}
static struct backend *device_init(struct device *d, const char *parameters) {
  static char guid[16] = "stand-in for GPU";
  struct backend *backend = calloc(1, sizeof *backend);
  void *cpu = ggml_backend_dev_by_type(TYPE_CPU);
  *backend = (struct backend){
      .guid = guid,
      .get_name = backend_name,
      .free = backend_free,
      .graph_compute = backend_compute,
      .device = d,
      .context = ggml_backend_dev_init(cpu, parameters),
  };
  // On a busy machine several threads would wait for each other.
  void (*set_threads)(void *, int) =
      ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_backend_set_n_threads");
  set_threads(backend->context, 1);
  return backend;
}
static void *device_buffer_type(struct device *d) { return ggml_backend_cpu_buffer_type(); }
static bool device_supports_op(struct device *d, const void *op) {
  return ggml_backend_dev_supports_op(ggml_backend_dev_by_type(TYPE_CPU), op);
}
static bool device_supports_buffer_type(struct device *d, void *type) { return ggml_backend_buft_is_host(type); }

static const char *registration_name(struct registration *r) { return NAME; }
static size_t device_count(struct registration *r) { return 1; }
static struct device *device_at(struct registration *r, size_t index) { return &device; }
static void *proc_address(struct registration *r, const char *name) { return NULL; }

struct registration *ggml_backend_init(void) {
  int after, tokens;
  if (!strcmp(read_orders(&after, &tokens), "hang-open")) for (;;) pause();
  device = (struct device){
      .get_name = device_name,
      .get_description = device_description,
      .get_memory = device_memory,
      .get_type = device_type,
      .get_properties = device_properties,
      .init_backend = device_init,
      .get_buffer_type = device_buffer_type,
      .supports_op = device_supports_op,
      .supports_buffer_type = device_supports_buffer_type,
      .registration = &registration,
  };
  registration = (struct registration){
      .api_version = API_VERSION,
      .get_name = registration_name,
      .get_device_count = device_count,
      .get_device = device_at,
      .get_proc_address = proc_address,
  };
  return &registration;
}
