// The slots of ONNX Runtime's C API that Sotto calls, in the published order of `OrtApi` (onnxruntime_c_api.h), which only
// ever appends. The wheel ships the library without its header. Slots that are not called are gaps of pointer size.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtValue OrtValue;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;

typedef struct OrtApi {
    void *gap0[1];
    int (*GetErrorCode)(const OrtStatus *);                                                       // 1
    const char *(*GetErrorMessage)(const OrtStatus *);                                            // 2
    OrtStatus *(*CreateEnv)(int severity, const char *name, OrtEnv **);                           // 3
    void *gap4[2];
    OrtStatus *(*DisableTelemetryEvents)(const OrtEnv *);                                         // 6
    OrtStatus *(*CreateSession)(const OrtEnv *, const char *path, const OrtSessionOptions *, OrtSession **);  // 7
    void *gap8[1];
    OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *, const char *const *input_names, const OrtValue *const *inputs,
                      size_t input_count, const char *const *output_names, size_t output_count, OrtValue **outputs);  // 9
    OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);                                     // 10
    void *gap11[6];
    OrtStatus *(*DisableMemPattern)(OrtSessionOptions *);                                         // 17
    void *gap18[1];
    OrtStatus *(*DisableCpuMemArena)(OrtSessionOptions *);                                        // 19
    void *gap20[2];
    OrtStatus *(*SetSessionLogSeverityLevel)(OrtSessionOptions *, int);                           // 22
    OrtStatus *(*SetSessionGraphOptimizationLevel)(OrtSessionOptions *, int);                     // 23
    OrtStatus *(*SetIntraOpNumThreads)(OrtSessionOptions *, int);                                 // 24
    OrtStatus *(*SetInterOpNumThreads)(OrtSessionOptions *, int);                                 // 25
    void *gap26[4];
    OrtStatus *(*SessionGetInputCount)(const OrtSession *, size_t *);                             // 30
    OrtStatus *(*SessionGetOutputCount)(const OrtSession *, size_t *);                            // 31
    void *gap32[4];
    OrtStatus *(*SessionGetInputName)(const OrtSession *, size_t, OrtAllocator *, char **);       // 36
    OrtStatus *(*SessionGetOutputName)(const OrtSession *, size_t, OrtAllocator *, char **);      // 37
    void *gap38[1];
    OrtStatus *(*CreateRunOptions)(OrtRunOptions **);                                             // 39
    void *gap40[6];
    OrtStatus *(*RunOptionsSetTerminate)(OrtRunOptions *);                                        // 46
    void *gap47[2];
    OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *, void *data, size_t bytes, const int64_t *shape,
                                                 size_t rank, int type, OrtValue **);             // 49
    void *gap50[1];
    OrtStatus *(*GetTensorMutableData)(OrtValue *, void **);                                      // 51
    void *gap52[8];
    OrtStatus *(*GetTensorElementType)(const OrtTensorTypeAndShapeInfo *, int *);                 // 60
    OrtStatus *(*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *, size_t *);                // 61
    OrtStatus *(*GetDimensions)(const OrtTensorTypeAndShapeInfo *, int64_t *, size_t);            // 62
    void *gap63[2];
    OrtStatus *(*GetTensorTypeAndShape)(const OrtValue *, OrtTensorTypeAndShapeInfo **);          // 65
    void *gap66[3];
    OrtStatus *(*CreateCpuMemoryInfo)(int allocator, int memory, OrtMemoryInfo **);               // 69
    void *gap70[6];
    OrtStatus *(*AllocatorFree)(OrtAllocator *, void *);                                          // 76
    void *gap77[1];
    OrtStatus *(*GetAllocatorWithDefaultOptions)(OrtAllocator **);                                // 78
    void *gap79[13];
    void (*ReleaseEnv)(OrtEnv *);                                                                 // 92
    void (*ReleaseStatus)(OrtStatus *);                                                           // 93
    void (*ReleaseMemoryInfo)(OrtMemoryInfo *);                                                   // 94
    void (*ReleaseSession)(OrtSession *);                                                         // 95
    void (*ReleaseValue)(OrtValue *);                                                             // 96
    void (*ReleaseRunOptions)(OrtRunOptions *);                                                   // 97
    void *gap98[1];
    void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *);                           // 99
    void (*ReleaseSessionOptions)(OrtSessionOptions *);                                           // 100
    void *gap101[29];
    OrtStatus *(*AddSessionConfigEntry)(OrtSessionOptions *, const char *key, const char *value); // 130
} OrtApi;

typedef struct OrtApiBase {
    const OrtApi *(*GetApi)(uint32_t version);
    const char *(*GetVersionString)(void);
} OrtApiBase;

extern const OrtApiBase *OrtGetApiBase(void);

#define SOTTO_SLOT(member, index) _Static_assert(offsetof(OrtApi, member) == (index) * sizeof(void *), #member " is not slot " #index)
SOTTO_SLOT(GetErrorCode, 1);
SOTTO_SLOT(CreateEnv, 3);
SOTTO_SLOT(DisableTelemetryEvents, 6);
SOTTO_SLOT(CreateSession, 7);
SOTTO_SLOT(Run, 9);
SOTTO_SLOT(DisableMemPattern, 17);
SOTTO_SLOT(DisableCpuMemArena, 19);
SOTTO_SLOT(SetSessionLogSeverityLevel, 22);
SOTTO_SLOT(SetIntraOpNumThreads, 24);
SOTTO_SLOT(SessionGetInputCount, 30);
SOTTO_SLOT(SessionGetInputName, 36);
SOTTO_SLOT(CreateRunOptions, 39);
SOTTO_SLOT(RunOptionsSetTerminate, 46);
SOTTO_SLOT(CreateTensorWithDataAsOrtValue, 49);
SOTTO_SLOT(GetTensorMutableData, 51);
SOTTO_SLOT(GetTensorElementType, 60);
SOTTO_SLOT(GetTensorTypeAndShape, 65);
SOTTO_SLOT(CreateCpuMemoryInfo, 69);
SOTTO_SLOT(AllocatorFree, 76);
SOTTO_SLOT(GetAllocatorWithDefaultOptions, 78);
SOTTO_SLOT(ReleaseEnv, 92);
SOTTO_SLOT(ReleaseTensorTypeAndShapeInfo, 99);
SOTTO_SLOT(ReleaseSessionOptions, 100);
SOTTO_SLOT(AddSessionConfigEntry, 130);
#undef SOTTO_SLOT
