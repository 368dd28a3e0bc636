/* Tunes the convolutions of an MPI job. Each rank measures a part of the convolutions. Then all
 * ranks exchange their decisions.
 *
 *   mpirun -n 4 mpi_tune STORE
 *
 * Afterwards the four stores STORE-0 to STORE-3 have the same choices. */
#include <atc/atc.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBLEMS = 6 };

static const atc_device cpu = {ATC_DEVICE_CPU, 0};
static int rank, ranks;

/* Ends the whole job, because the other ranks would wait for this rank for ever. */
static void fail(const char* reason) {
  fprintf(stderr, "rank %d: %s\n", rank, reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(atc_status status) {
  if (status != ATC_OK) fail(atc_last_error());
}

static void* allocate(size_t size) {
  void* memory = malloc(size ? size : 1);
  if (memory == NULL) fail("out of memory");
  return memory;
}

static atc_store* use_store(const char* folder, atc_store_mode mode) {
  atc_store* store = NULL;
  must(atc_store_open(&store, folder, mode));
  must(atc_store_use(store));
  return store;
}

static void describe(atc_conv_problem* problem, int index) {
  must(atc_conv_problem_init(problem, 2));
  problem->batch = 2;
  problem->in_channels = problem->out_channels = 8;
  problem->input[0] = problem->input[1] = 14 + index;
  problem->kernel[0] = problem->kernel[1] = 3;
}

/* Measures the problems of this rank. The decisions are written to the store in use. */
static int tune_own_part(const atc_conv_problem* problems) {
  atc_conv_problem own[PROBLEMS];
  int count = 0;
  for (int i = rank; i < PROBLEMS; i += ranks) own[count++] = problems[i];
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.problem_budget_seconds = 1;
  if (count > 0) must(atc_tune(NULL, cpu, own, (size_t)count, &options, NULL, NULL));
  return count;
}

/* Sends the bundle (all decisions of a store) of each rank to all ranks, and joins the bundles.
 * The joined bundle is the same on each rank, because it does not depend on the order of the
 * bundles. */
static atc_bytes* join_bundles(const atc_store* store) {
  atc_bytes *own = NULL, *joined = NULL;
  must(atc_store_export(&own, store));
  if (atc_bytes_size(own) > (size_t)(INT_MAX / ranks)) fail("the bundle is too large for MPI");
  const int own_size = (int)atc_bytes_size(own);
  int* sizes = allocate((size_t)ranks * sizeof *sizes);
  int* starts = allocate((size_t)ranks * sizeof *starts);
  MPI_Allgather(&own_size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
  size_t total = 0;
  for (int i = 0; i < ranks; ++i) {
    if (total > INT_MAX) fail("the bundles are too large for MPI");
    starts[i] = (int)total;
    total += (size_t)sizes[i];
  }
  char* all = allocate(total);
  MPI_Allgatherv(atc_bytes_data(own), own_size, MPI_BYTE, all, sizes, starts, MPI_BYTE,
                 MPI_COMM_WORLD);

  const void** bundles = allocate((size_t)ranks * sizeof *bundles);
  size_t* bundle_sizes = allocate((size_t)ranks * sizeof *bundle_sizes);
  for (int i = 0; i < ranks; ++i) {
    bundles[i] = all + starts[i];
    bundle_sizes[i] = (size_t)sizes[i];
  }
  must(atc_store_merge(&joined, bundles, bundle_sizes, (size_t)ranks, NULL));
  atc_bytes_destroy(own);
  free(bundle_sizes);
  free((void*)bundles);
  free(all);
  free(starts);
  free(sizes);
  return joined;
}

/* Returns 1 if all ranks run the same choices for the problems. */
static int is_same_everywhere(uint64_t digest) {
  uint64_t least = 0, most = 0;
  MPI_Allreduce(&digest, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&digest, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return least == most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) fail("use: mpirun -n RANKS mpi_tune STORE");
  char folder[4096];
  if (snprintf(folder, sizeof folder, "%s-%d", argv[1], rank) >= (int)sizeof folder)
    fail("the name of the store is too long");
  atc_store* store = use_store(folder, ATC_STORE_READ_WRITE);
  atc_conv_problem problems[PROBLEMS];
  for (int i = 0; i < PROBLEMS; ++i) describe(&problems[i], i);
  const int own = tune_own_part(problems);

  atc_bytes* joined = join_bundles(store);
  atc_store_import_options options = ATC_STORE_IMPORT_OPTIONS_INIT;
  options.replace = ATC_REPLACE_JOIN;
  must(atc_store_import(NULL, NULL, store, atc_bytes_data(joined), atc_bytes_size(joined),
                        &options));
  atc_bytes_destroy(joined);
  atc_store_close(store);

  /* The store is opened again in replay-only mode: nothing is measured any more, and a call without
   * a stored decision would fail. */
  store = use_store(folder, ATC_STORE_REPLAY_ONLY);
  uint64_t digest = 0;
  must(atc_conv_decisions_digest(&digest, cpu, problems, PROBLEMS, NULL));
  const int same = is_same_everywhere(digest);
  printf("rank %d of %d: its part has %d of %d problems, digest %016" PRIx64 "%s\n", rank, ranks,
         own, PROBLEMS, digest, same ? "" : ", another rank has another digest");
  atc_store_close(store);
  MPI_Finalize();
  return !same;
}
