import { huggingFace } from './hugging-face.ts'

const senseVoice = huggingFace(
  'csukuangfj/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
  '2365baeacb507f821a0c8120fcee3d484dba7a07',
)
const whisperTiny = huggingFace(
  'csukuangfj/sherpa-onnx-whisper-tiny',
  '65176e2deb88badc814a94058666cadccc29b61c',
)
const whisperTurbo = huggingFace(
  'csukuangfj/sherpa-onnx-whisper-turbo',
  '2ca6ff69fc878651b770880507669577ac41c2ff',
)
const parakeet = huggingFace(
  'csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
  '2bda32ec70b097a55adaa07d9a7173915b43cc78',
)

const spleeter = huggingFace(
  'csukuangfj/sherpa-onnx-spleeter-2stems-fp16',
  '93ba771920ade509f8cbd6825b1a90856c797e08',
)
const sherpaReleases = 'https://github.com/k2-fsa/sherpa-onnx/releases/download'

/** Token table shared by all multilingual Whisper models. */
const whisperTokens = {
  bytes: 816_730,
  sha256: 'b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126',
}

/** Models of speech. */
export const speechPacks = {
  'voice-activity': {
    kind: 'model',
    title: 'Silero VAD 6',
    enables: 'finding speech',
    licence: 'MIT',
    memory: 10,
    artifact: {
      file: 'silero-vad.onnx',
      bytes: 1_289_603,
      sha256: '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49',
      address:
        'https://github.com/snakers4/silero-vad/raw/1e261b036686cd0017d500ee96acd1c4ba572a9d/src/silero_vad/data/silero_vad_16k_op15.onnx',
    },
  },
  'speaker-segmentation': {
    kind: 'model',
    title: 'pyannote segmentation 3.0',
    enables: 'splitting speakers',
    licence: 'MIT',
    memory: 60,
    artifact: {
      file: 'pyannote-segmentation-3.int8.onnx',
      bytes: 1_540_506,
      sha256: 'd582f4b4c6b48205de7e0643c57df0df5615a3c176189be3fc461e9d18827b5d',
      address: huggingFace(
        'csukuangfj/sherpa-onnx-pyannote-segmentation-3-0',
        '9403a6902bb58e3d5ae8c7e77c3422de279db2e0',
      )('model.int8.onnx'),
    },
  },
  denoising: {
    kind: 'model',
    title: 'GTCRN',
    enables: 'removing noise from speech',
    licence: 'MIT',
    memory: 20,
    optional: true,
    artifact: {
      file: 'gtcrn_simple.onnx',
      bytes: 535_638,
      sha256: 'e77603ac0c23dac3227dd2d7135b3a585cbee2679048aecfa886657d3ae1b534',
      address: `${sherpaReleases}/speech-enhancement-models/gtcrn_simple.onnx`,
    },
  },
  'sense-voice': {
    kind: 'model',
    title: 'SenseVoice small',
    enables: 'recognising Chinese, Cantonese, English, Japanese and Korean',
    licence: 'LicenseRef-FunASR-Model-1.1',
    memory: 900,
    optional: true,
    artifact: {
      file: 'sense-voice-2024-07-17.model.int8.onnx',
      bytes: 239_233_841,
      sha256: 'c71f0ce00bec95b07744e116345e33d8cbbe08cef896382cf907bf4b51a2cd51',
      address: senseVoice('model.int8.onnx'),
    },
    otherFiles: [
      {
        file: 'sense-voice-2024-07-17.tokens.txt',
        bytes: 315_894,
        sha256: 'f449eb28dc567533d7fa59be34e2abca8784f771850c78a47fb731a31429a1dc',
        address: senseVoice('tokens.txt'),
      },
    ],
  },
  parakeet: {
    kind: 'model',
    title: 'Parakeet TDT 0.6b v3',
    enables: 'recognising 25 languages of Europe',
    licence: 'CC-BY-4.0',
    memory: 1500,
    optional: true,
    artifact: {
      file: 'parakeet-tdt-0.6b-v3.encoder.int8.onnx',
      bytes: 652_184_281,
      sha256: 'acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247',
      address: parakeet('encoder.int8.onnx'),
    },
    otherFiles: [
      {
        file: 'parakeet-tdt-0.6b-v3.decoder.int8.onnx',
        bytes: 11_845_275,
        sha256: '179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e',
        address: parakeet('decoder.int8.onnx'),
      },
      {
        file: 'parakeet-tdt-0.6b-v3.joiner.int8.onnx',
        bytes: 6_355_277,
        sha256: '3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3',
        address: parakeet('joiner.int8.onnx'),
      },
      {
        file: 'parakeet-tdt-0.6b-v3.tokens.txt',
        bytes: 93_939,
        sha256: 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
        address: parakeet('tokens.txt'),
      },
    ],
  },
  'whisper-turbo': {
    kind: 'model',
    title: 'Whisper large v3 turbo',
    enables: 'recognising 100 languages',
    licence: 'MIT',
    memory: 2500,
    optional: true,
    artifact: {
      file: 'whisper-turbo-encoder.int8.onnx',
      bytes: 674_716_297,
      sha256: 'b02dcdf54f348741e93fe732b67d933c8dcb6735655f710640143081db38878b',
      address: whisperTurbo('turbo-encoder.int8.onnx'),
    },
    otherFiles: [
      {
        file: 'whisper-turbo-decoder.int8.onnx',
        bytes: 361_080_764,
        sha256: '20accd02388482eb3a46bd615631adfdc85e1eb2c7db9ea3f02a40ffe6b81547',
        address: whisperTurbo('turbo-decoder.int8.onnx'),
      },
      { file: 'whisper-turbo-tokens.txt', ...whisperTokens, address: whisperTurbo('turbo-tokens.txt') },
    ],
  },
  'whisper-tiny': {
    kind: 'model',
    title: 'Whisper tiny',
    enables: 'identifying which of 99 languages is spoken',
    licence: 'MIT',
    memory: 400,
    optional: true,
    artifact: {
      file: 'whisper-tiny-encoder.int8.onnx',
      bytes: 12_937_772,
      sha256: 'd24fb083ae3b1041fc24e97971d60e280c9342201fbb67b0ab428a8b4a51a434',
      address: whisperTiny('tiny-encoder.int8.onnx'),
    },
    otherFiles: [
      {
        file: 'whisper-tiny-decoder.int8.onnx',
        bytes: 89_855_401,
        sha256: 'd2fece8dd42771f1df975c6c0445770d0c292bf7547c2cae04a6c0cc57540925',
        address: whisperTiny('tiny-decoder.int8.onnx'),
      },
      { file: 'whisper-tiny-tokens.txt', ...whisperTokens, address: whisperTiny('tiny-tokens.txt') },
    ],
  },
  whisper: {
    kind: 'own',
    title: 'Whisper of another size, exported for sherpa-onnx',
    enables: 'recognising 99 languages with that model',
    licence: "the model's own",
  },
  paraformer: {
    kind: 'own',
    title: 'Paraformer, exported for sherpa-onnx',
    enables: 'recognising Chinese and English with that model',
    licence: "the model's own",
  },
  zipvoice: {
    kind: 'model',
    title: 'ZipVoice, distilled',
    enables: 'speaking Chinese and English in a voice cloned from one recording',
    licence: 'Apache-2.0',
    memory: 900,
    optional: true,
    artifact: {
      file: 'vocos_24khz.onnx',
      bytes: 54_157_409,
      sha256: 'bcb3b970e384161c4d634f0bb9e999ff1c471b34c9bc0b1049a5014065ed3cc0',
      address: `${sherpaReleases}/vocoder-models/vocos_24khz.onnx`,
    },
    otherFiles: [
      {
        file: 'sherpa-onnx-zipvoice-distill-int8-zh-en-emilia.tar.bz2',
        bytes: 109_162_785,
        unpackedBytes: 160_000_000,
        sha256: '77219c8b40f4ee8d73a7f902305ff6c1128ef9b54461c41b4ca6ed890b6c2803',
        address: `${sherpaReleases}/tts-models/sherpa-onnx-zipvoice-distill-int8-zh-en-emilia.tar.bz2`,
      },
    ],
  },
  'speaker-embedding': {
    kind: 'model',
    title: '3D-Speaker CAM++ for Chinese and English',
    enables: 'distinguishing speakers in long recordings',
    licence: 'Apache-2.0',
    memory: 100,
    optional: true,
    artifact: {
      file: '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx',
      bytes: 28_281_164,
      sha256: 'aa3cfc16963a10586a9393f5035d6d6b57e98d358b347f80c2a30bf4f00ceba2',
      address: `${sherpaReleases}/speaker-recongition-models/3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx`,
    },
  },
  'voice-separation': {
    kind: 'model',
    title: 'Spleeter, 2 stems',
    enables: 'separating voice from music',
    licence: 'MIT',
    memory: 700,
    optional: true,
    artifact: {
      file: 'spleeter-vocals.fp16.onnx',
      bytes: 19_681_017,
      sha256: '24cef84aedcd1fe87c0b743ef3370ad34dc1fabf6c9014d6128a75a538c7b668',
      address: spleeter('vocals.fp16.onnx'),
    },
    otherFiles: [
      {
        file: 'spleeter-accompaniment.fp16.onnx',
        bytes: 19_681_024,
        sha256: 'd14cea55793cc531a5875f5f4da08207d1c5ab9292e8e0099a104eecb014fcc0',
        address: spleeter('accompaniment.fp16.onnx'),
      },
    ],
  },
} as const
