/* FADE in C99: policies that were timed, and the files that keep them. A part of fade.h, which includes it;
 * its rules hold here. What a database is and how a call uses it: docs/tuning.md.
 *
 * A call asks a database where fade_options.tuned names one: fade_gemm, the three passes of a convolution,
 * fade_attention, fade_rms_norm, fade_layer_norm, fade_softmax and fade_log_softmax; every other call refuses
 * it. The functions below time policies on this CPU and on GPUs.
 *
 * Databases are files of SQLite, which is loaded when the first one is opened. Where it is not there, or this
 * library was built without its header, fade_tuning_open() gives FADE_UNSUPPORTED, and all else works. */
#ifndef FADE_TUNING_H
#define FADE_TUNING_H

#include <fade.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fade_tuning_files {
    size_t size;
    const char* user;          /* read, and written by what is found; made where it is not there */
    const char* const* system; /* read alone; rows of the user's come first, then those of earlier files */
    int32_t system_count;
} fade_tuning_files;
FADE_API void fade_tuning_files_init(fade_tuning_files*, size_t size);

/* Several threads may use one database, and several processes one file. */
FADE_API fade_status fade_tuning_open(const fade_tuning_files*, fade_tuning** out);
/* No call may be using it. Null is no database, and nothing happens. */
FADE_API void fade_tuning_close(fade_tuning*);
/* Why nothing can be kept, as of a file that may not be written; empty where rows are kept. */
FADE_API const char* fade_tuning_refused_writes(const fade_tuning*);

/* A row of a database. Strings and sizes live until the visitor returns. */
typedef struct fade_tuning_row {
    size_t size;
    const char* kind; /* of the problem, as fade_found_text gives it */
    const int64_t* sizes;
    int64_t size_count;                           /* at most 64 */
    const char *arch, *traits;                    /* of the machine */
    const char *fingerprint, *compiler, *version; /* of the build; null: this library's */
    const char *policy, *evidence;
    double nanoseconds, noise;
    int64_t date; /* seconds since 1970 */
} fade_tuning_row;
FADE_API void fade_tuning_row_init(fade_tuning_row*, size_t size);
/* Called for each row, the user's first, with the database free for other calls; ends where it returns
 * another number than 0. */
typedef int32_t (*fade_tuning_visitor)(void* context, const fade_tuning_row*);
FADE_API fade_status fade_tuning_each_row(const fade_tuning*, fade_tuning_visitor, void* context);
/* Keeps a row in the user's file: it is on the disk when this returns. */
FADE_API fade_status fade_tuning_put(fade_tuning*, const fade_tuning_row*);
/* Removes a row of the user's file whose problem, machine, build, policy, time and date are this one's;
 * removed, which may be null, gets 0 where there is none. */
FADE_API fade_status fade_tuning_remove(fade_tuning*, const fade_tuning_row*, int32_t* removed);

/* What a find does; numbers are those of MIOPEN_FIND_MODE and MIOPEN_FIND_ENFORCE. */
typedef int32_t fade_find_mode;
enum {
    FADE_FIND_AS_ENVIRONMENT = 0, /* FADE_FIND_MODE says it, else DYNAMIC_HYBRID */
    FADE_FIND_NORMAL = 1,         /* searches, whatever is known */
    FADE_FIND_FAST = 2,           /* takes the row; without one the model decides */
    FADE_FIND_HYBRID = 3,         /* takes the row; without one it searches */
    FADE_FIND_DYNAMIC_HYBRID = 5,
    FADE_FIND_TRUST_VERIFY = 6, /* takes the user's row, times one of the system again, and else searches */
    FADE_FIND_TRUST_VERIFY_FULL = 7 /* the same, and a search has no budget */
};
typedef int32_t fade_find_enforce;
enum {
    FADE_ENFORCE_AS_ENVIRONMENT = 0, /* FADE_FIND_ENFORCE says it, else NONE */
    FADE_ENFORCE_NONE = 1,
    FADE_ENFORCE_DB_UPDATE = 2,
    FADE_ENFORCE_SEARCH = 3,
    FADE_ENFORCE_SEARCH_DB_UPDATE = 4,
    FADE_ENFORCE_DB_CLEAN = 5
};
typedef struct fade_find_options {
    size_t size;
    fade_find_mode mode;
    fade_find_enforce enforce;
    double budget; /* seconds of a search; 1 unless set */
    double
        tolerance; /* TRUST_VERIFY: the part of a row's time that it may take longer now; 0.25 unless set */
} fade_find_options;
FADE_API void fade_find_options_init(fade_find_options*, size_t size);

/* What a find or a verification did. */
typedef struct fade_found fade_found;
enum { FADE_FOUND_HIT = 0, FADE_FOUND_TUNED = 1, FADE_FOUND_MODEL = 2 };
typedef struct fade_found_numbers {
    size_t size;
    int32_t source;     /* where the policy that a call gets now comes from: FADE_FOUND_... */
    int32_t kept;       /* 1: a search kept a row */
    int32_t whole;      /* 1: the budget lasted for all candidates */
    int32_t candidates; /* how many were timed */
    double nanoseconds, model_nanoseconds,
        noise;        /* of the fastest policy, of the model's choice; 0: none timed */
    double drift;     /* of a verification: |now / then - 1| */
    int32_t of_model; /* of a verification, 1: the row's policy is the model's choice */
} fade_found_numbers;
enum {
    FADE_FOUND_WHY = 0,    /* in words */
    FADE_FOUND_KIND = 1,   /* of the problem, as a row has it */
    FADE_FOUND_POLICY = 2, /* the fastest, as JSON; empty where none was timed and there is no row */
    FADE_FOUND_EVIDENCE = 3,
    FADE_FOUND_ARCH = 4, /* the machine, as a row has it */
    FADE_FOUND_TRAITS = 5
};
/* Fills as much of *out as its size says. */
FADE_API fade_status fade_found_read(const fade_found*, fade_found_numbers* out);
/* A string that lives as long as the found; null for a field that there is not. */
FADE_API const char* fade_found_text(const fade_found*, int32_t field);
FADE_API void fade_found_close(fade_found*);

/* Each takes the row of a call, or searches for one, and keeps what it finds in the database, for calls that
 * ask it. The results of the call are written where calls are timed. Emulated devices are refused, since they
 * have no speed. GPUs are timed on the stream null, and waited for: let work of other streams on the call's
 * memory be done before. options may be null, and found, where given, is to be closed by the caller. */
FADE_API fade_status fade_find_gemm(fade_device*, const fade_gemm_args*, fade_tuning*,
                                    const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_conv_forward(fade_device*, const fade_conv_args*, fade_tuning*,
                                            const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_conv_backward_data(fade_device*, const fade_conv_args*, fade_tuning*,
                                                  const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_conv_backward_weights(fade_device*, const fade_conv_args*, fade_tuning*,
                                                     const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_attention(fade_device*, const fade_attention_args*, fade_tuning*,
                                         const fade_find_options*, fade_found** found);
/* Of GPUs: this CPU has one kernel of each row operator, and refuses them. */
FADE_API fade_status fade_find_rms_norm(fade_device*, const fade_norm_args*, fade_tuning*,
                                        const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_layer_norm(fade_device*, const fade_norm_args*, fade_tuning*,
                                          const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_softmax(fade_device*, const fade_softmax_args*, fade_tuning*,
                                       const fade_find_options*, fade_found** found);
FADE_API fade_status fade_find_log_softmax(fade_device*, const fade_softmax_args*, fade_tuning*,
                                           const fade_find_options*, fade_found** found);

/* Times the policy of the row that the database has for a call, and the model's choice, in turn; the call's
 * results are written. nanoseconds are those of now. Where nothing was timed source is FADE_FOUND_MODEL, and
 * FADE_FOUND_WHY says the reason. */
FADE_API fade_status fade_verify_gemm(fade_device*, const fade_gemm_args*, fade_tuning*, fade_found** found);
FADE_API fade_status fade_verify_conv_forward(fade_device*, const fade_conv_args*, fade_tuning*,
                                              fade_found** found);
FADE_API fade_status fade_verify_conv_backward_data(fade_device*, const fade_conv_args*, fade_tuning*,
                                                    fade_found** found);
FADE_API fade_status fade_verify_conv_backward_weights(fade_device*, const fade_conv_args*, fade_tuning*,
                                                       fade_found** found);
FADE_API fade_status fade_verify_attention(fade_device*, const fade_attention_args*, fade_tuning*,
                                           fade_found** found);
FADE_API fade_status fade_verify_rms_norm(fade_device*, const fade_norm_args*, fade_tuning*,
                                          fade_found** found);
FADE_API fade_status fade_verify_layer_norm(fade_device*, const fade_norm_args*, fade_tuning*,
                                            fade_found** found);
FADE_API fade_status fade_verify_softmax(fade_device*, const fade_softmax_args*, fade_tuning*,
                                         fade_found** found);
FADE_API fade_status fade_verify_log_softmax(fade_device*, const fade_softmax_args*, fade_tuning*,
                                             fade_found** found);

/* A database with a thread of its own, which times what it is given on this CPU, for `budget` seconds in all,
 * and keeps each row as soon as it is found. Calls ask it as any database, and never wait for it. It has
 * neither rows to visit nor finds: open its file once more for these. fade_tuning_close waits for the call
 * that is being timed. */
FADE_API fade_status fade_tuning_open_background(const fade_tuning_files*, double budget, fade_tuning** out);
/* Gives it a problem, of calls on a "host" with so many threads, in f32, f16 or bf16, whose results have the
 * type of the inputs. Pointers to operands are not looked at, for the thread draws its own; those to what
 * else a call may read, stages and a beta are refused. taken, which may be null, gets 0 where the budget is
 * spent. */
FADE_API fade_status fade_background_gemm(fade_tuning*, const fade_gemm_args*, int32_t threads,
                                          int32_t* taken);
FADE_API fade_status fade_background_conv_forward(fade_tuning*, const fade_conv_args*, int32_t threads,
                                                  int32_t* taken);
FADE_API fade_status fade_background_attention(fade_tuning*, const fade_attention_args*, int32_t threads,
                                               int32_t* taken);
typedef struct fade_background_numbers {
    size_t size;
    int32_t done;   /* problems that were tuned, or failed */
    int32_t left;   /* problems that wait, or are being tuned */
    int32_t kept;   /* of those done, how many have a row now */
    int32_t ended;  /* 1: the budget is spent */
    double seconds; /* that the thread has worked */
} fade_background_numbers;
/* Fills as much of *out as its size says. failure, which may be null, gets why the last problem that failed
 * did, empty where none did; it lives until the next such call of any thread. */
FADE_API fade_status fade_background_read(fade_tuning*, fade_background_numbers* out, const char** failure);

#ifdef __cplusplus
}
#endif

#endif
