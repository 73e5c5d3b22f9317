import type { ModelPack, OwnPack } from './manifest.ts'

/** What hears a piano and what plays one. */
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
  'piano-soundfont': {
    kind: 'model',
    title: 'Florestan piano SoundFont',
    enables: 'playing what was found in a piano recording',
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
    title: 'A piano transcription model with pedal (ONNX)',
    enables: 'hearing pianos by a model made for them, pedal included, instead of Basic Pitch',
    licence: "the model's own",
  },
} as const satisfies Record<string, ModelPack | OwnPack>
