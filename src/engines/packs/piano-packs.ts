import type { EnginePack, ModelPack, NodePackage, OwnPack } from './manifest.ts'

/** The grand piano of Alexander Holm, struck with one of 16 forces. */
const pianoSamplesAtVelocity = (
  force: number,
  { bytes, sha256 }: Pick<NodePackage['artifact'], 'bytes' | 'sha256'>,
) => ({
  name: `@audio-samples/piano-velocity${force}`,
  version: '1.0.5',
  extract: ['package.json', 'LICENSE', 'README.md', 'audio'],
  artifact: { file: `audio-samples-piano-velocity${force}-1.0.5.tgz`, bytes, sha256 },
})

/** Packs for piano transcription and piano sound. */
export const pianoPacks = {
  'piano-transcription': {
    kind: 'model',
    title: 'Basic Pitch note transcription',
    enables: 'finding the notes of piano recordings',
    licence: 'Apache-2.0',
    memory: 60,
    artifact: {
      file: 'basic-pitch.onnx',
      bytes: 230_444,
      sha256: '2c3c1d144bfa61ad236e92e169c13535c880469a12a047d4e73451f2c059a0ec',
      address:
        'https://github.com/spotify/basic-pitch/raw/fa5997af0a/basic_pitch/saved_models/icassp_2022/nmp.onnx',
    },
  },
  'piano-transcription-pedal': {
    kind: 'model',
    title: 'High-resolution piano transcription with pedal',
    enables: 'transcribing pianos, including the pedal, with a model trained on them instead of Basic Pitch',
    licence: 'CC-BY-4.0',
    memory: 700,
    optional: true,
    artifact: {
      file: 'piano_transcription.onnx',
      bytes: 154_214_201,
      sha256: '6ec4f07640837df2fcd2cede9c540865acff341def93fbd6432548dee169195a',
      address:
        'https://huggingface.co/LanOss/mobimml-piano-transcription/resolve/7dff58faf160d4c0bf13be48e30e614faecdba72/piano_transcription.onnx',
    },
  },
  'piano-samples': {
    kind: 'engine',
    title: 'Salamander Grand Piano',
    enables: 'playing transcribed piano notes on a sampled grand piano',
    licence: 'CC-BY-3.0',
    memory: 150,
    unpackedBytes: 15_200_000,
    packages: [
      pianoSamplesAtVelocity(4, {
        bytes: 4_663_677,
        sha256: 'd4109ec1b6e7c9fe10eeff53195b386cb7225b74675c1c17a03a8e8ab094faed',
      }),
      pianoSamplesAtVelocity(10, {
        bytes: 4_884_055,
        sha256: 'b8453347f8fab61f8c087b3868cce7f1ef26655fab373b4b2dfbae1aa7e86f32',
      }),
      pianoSamplesAtVelocity(14, {
        bytes: 4_882_631,
        sha256: '50f7b90452f723f1c618d6bb3c5c75f67a56bfe8c8d81d4f4892d7066aa2c8fa',
      }),
    ],
  },
  'piano-soundfont': {
    kind: 'model',
    title: 'Florestan piano SoundFont',
    enables: 'playing transcribed piano notes where the sampled grand piano is not installed',
    licence: 'MIT',
    memory: 20,
    artifact: {
      file: 'florestan.sf2',
      bytes: 531_786,
      sha256: '1d890349a4bf0ae8d932000f0157633c03b81e127e479e069238ff382db44a32',
      address: 'https://github.com/schellingb/TinySoundFont/raw/853a0a1717/examples/florestan-subset.sf2',
    },
  },
  'piano-model': {
    kind: 'own',
    title: 'A piano transcription model of your own (ONNX)',
    enables: 'transcribing pianos with that model, in the format of piano-transcription-pedal',
    licence: "the model's own",
  },
} as const satisfies Record<string, EnginePack | ModelPack | OwnPack>
