const sherpaVersion = '1.13.8'

/** The native part of sherpa-onnx for a machine: its addon, and the libraries beside it. */
function sherpaPackage(
  machine: string,
  libraries: readonly string[],
  packed: { readonly bytes: number; readonly sha256: string },
) {
  // Its package for Windows is not named as Node names that.
  const name = `sherpa-onnx-${machine.replace('win32', 'win')}`
  return {
    name,
    version: sherpaVersion,
    machine,
    extract: ['package.json', 'sherpa-onnx.node', ...libraries],
    artifact: { file: `${name}-${sherpaVersion}.tgz`, ...packed },
  }
}

const linuxLibraries = ['libonnxruntime.so', 'libsherpa-onnx-c-api.so', 'libsherpa-onnx-cxx-api.so']
const macLibraries = ['libonnxruntime.dylib', 'libsherpa-onnx-c-api.dylib', 'libsherpa-onnx-cxx-api.dylib']
const windowsLibraries = [
  'onnxruntime.dll',
  'onnxruntime_providers_shared.dll',
  'sherpa-onnx-c-api.dll',
  'sherpa-onnx-cxx-api.dll',
]

/** The sherpa-onnx engine: recognition, voice synthesis, noise removal. */
export const sherpaPack = {
  kind: 'engine',
  title: 'sherpa-onnx 1.13',
  enables: 'recognising and speaking',
  licence: 'Apache-2.0',
  memory: 60,
  unpackedBytes: 41_000_000,
  builds: ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'],
  packages: [
    {
      name: 'sherpa-onnx-node',
      version: sherpaVersion,
      extract: [
        'package.json',
        ...['addon', 'addon-static-import', 'sherpa-onnx', 'types', 'resampler', 'vad'],
        ...['streaming-asr', 'non-streaming-asr', 'non-streaming-tts', 'non-streaming-speaker-diarization'],
        ...['non-streaming-speech-denoiser', 'online-speech-denoiser', 'speaker-identification'],
        ...['spoken-language-identification', 'audio-tagg', 'punctuation', 'keyword-spotter'],
      ].map((part) => (part.endsWith('.json') ? part : `${part}.js`)),
      artifact: {
        file: `sherpa-onnx-node-${sherpaVersion}.tgz`,
        bytes: 11_954,
        sha256: 'db2a7b8b18d950b6e9ca5c1c919afec33fd3dd2bfef1aade0bea5a9fe7a1f0f1',
      },
    },
    sherpaPackage('darwin-arm64', macLibraries, {
      bytes: 10_047_754,
      sha256: 'e1abc1d9676478996574de922e55714d80b4500b860bc4e7349aa01cd0ea4929',
    }),
    sherpaPackage('darwin-x64', macLibraries, {
      bytes: 11_191_481,
      sha256: '3e583d3423160cb8a0f9316008e293ad9a6b66c63e1966ad399a88300390fbaa',
    }),
    sherpaPackage('linux-arm64', linuxLibraries, {
      bytes: 13_910_679,
      sha256: 'e1671ad6e94e51947229a5736d06022780f3fba967da8d917173cd9765902ee8',
    }),
    sherpaPackage('linux-x64', linuxLibraries, {
      bytes: 11_089_653,
      sha256: '13291bcd825da5858ca27a35443e9a2c229a40616c0910086de2db12c5c9312c',
    }),
    sherpaPackage('win32-x64', windowsLibraries, {
      bytes: 8_894_875,
      sha256: 'fe522f02a5c113c2567a43982107ef41ae517f9a431931e90731e7e4d4341073',
    }),
  ],
} as const
