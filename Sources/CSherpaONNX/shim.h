// sherpa-onnx's C API, bound at run time: nothing is linked, since its ONNX Runtime must not meet the other one in a process.
#pragma once
#include <dlfcn.h>
#include <sherpa-onnx/c-api/c-api.h>

#define SOTTO_SHERPA_CALLS(call) \
    call(SherpaOnnxGetVersionStr, version) \
    call(SherpaOnnxCreateOnlineRecognizer, createOnlineRecognizer) \
    call(SherpaOnnxDestroyOnlineRecognizer, destroyOnlineRecognizer) \
    call(SherpaOnnxCreateOnlineStream, createOnlineStream) \
    call(SherpaOnnxDestroyOnlineStream, destroyOnlineStream) \
    call(SherpaOnnxOnlineStreamAcceptWaveform, acceptOnline) \
    call(SherpaOnnxOnlineStreamInputFinished, finishOnline) \
    call(SherpaOnnxIsOnlineStreamReady, isOnlineReady) \
    call(SherpaOnnxDecodeOnlineStream, decodeOnline) \
    call(SherpaOnnxOnlineStreamIsEndpoint, isEndpoint) \
    call(SherpaOnnxGetOnlineStreamResult, onlineResult) \
    call(SherpaOnnxDestroyOnlineRecognizerResult, destroyOnlineResult) \
    call(SherpaOnnxCreateOfflineRecognizer, createOfflineRecognizer) \
    call(SherpaOnnxDestroyOfflineRecognizer, destroyOfflineRecognizer) \
    call(SherpaOnnxCreateOfflineStream, createOfflineStream) \
    call(SherpaOnnxDestroyOfflineStream, destroyOfflineStream) \
    call(SherpaOnnxAcceptWaveformOffline, acceptOffline) \
    call(SherpaOnnxDecodeOfflineStream, decodeOffline) \
    call(SherpaOnnxGetOfflineStreamResult, offlineResult) \
    call(SherpaOnnxDestroyOfflineRecognizerResult, destroyOfflineResult) \
    call(SherpaOnnxCreateOfflineTts, createSynthesizer) \
    call(SherpaOnnxDestroyOfflineTts, destroySynthesizer) \
    call(SherpaOnnxOfflineTtsSampleRate, synthesizerRate) \
    call(SherpaOnnxOfflineTtsGenerateWithConfig, synthesize) \
    call(SherpaOnnxDestroyOfflineTtsGeneratedAudio, destroyAudio)

// The calls that are used, by the types of the library's own header.
struct sotto_sherpa {
#define SOTTO_SHERPA_FIELD(symbol, name) __typeof__(symbol) *name;
    SOTTO_SHERPA_CALLS(SOTTO_SHERPA_FIELD)
#undef SOTTO_SHERPA_FIELD
};

// Finds every call; the name of the first that is missing, else NULL.
static inline const char *sotto_sherpa_bind(void *library, struct sotto_sherpa *calls) {
#define SOTTO_SHERPA_FIND(symbol, name) \
    if ((calls->name = (__typeof__(symbol) *)dlsym(library, #symbol)) == 0) return #symbol;
    SOTTO_SHERPA_CALLS(SOTTO_SHERPA_FIND)
#undef SOTTO_SHERPA_FIND
    return 0;
}
