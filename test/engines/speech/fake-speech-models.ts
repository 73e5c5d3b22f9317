import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact, PackName } from '../../../src/engines/packs/manifest.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { artifactOf } from '../../packs/pack-fixtures.ts'
import { onnxFile, type Graph } from '../onnx-file.ts'

/** Writes the files of a test pack to the mirror folder. */
export async function writeFakePack<Name extends PackName>(
  mirror: string,
  name: Name,
  files: Readonly<Record<string, Graph | string>>,
): Promise<Record<Name, never>> {
  await mkdir(mirror, { recursive: true })
  const all: (Artifact & { readonly address: string })[] = []
  for (const [file, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : onnxFile(content)
    await writeFile(join(mirror, file), bytes)
    all.push({ ...artifactOf(file, bytes), address: 'https://models.invalid/' })
  }
  const [artifact, ...otherFiles] = all
  return { [name]: { ...manifest[name], artifact, otherFiles } } as never
}

/** Fake Whisper encoder: keys are the mean of the features, values are zero. */
export function whisperEncoder(bands = 80): Graph {
  const cross = [1, 1, 1, 1]
  return {
    inputs: { mel: ['N', bands, 3000] },
    outputs: { n_layer_cross_k: cross, n_layer_cross_v: cross },
    constants: { shape: { dims: [4], values: cross, isWhole: true }, none: { dims: [1], values: [0] } },
    nodes: [
      { type: 'ReduceMean', inputs: ['mel'], outputs: ['mean'], attributes: { keepdims: 1 } },
      { type: 'Reshape', inputs: ['mean', 'shape'], outputs: ['n_layer_cross_k'] },
      { type: 'Mul', inputs: ['n_layer_cross_k', 'none'], outputs: ['n_layer_cross_v'] },
    ],
  }
}

/** Fake Whisper decoder: fixed logits of some tokens, scaled by the keys unless the input is silent. */
export function whisperDecoder(expected: Readonly<Record<number, number>>, tokens = 51_865): Graph {
  const cache = [1, 1, 448, 1]
  const values = Array.from({ length: tokens }, (_, token) => expected[token] ?? 0)
  return {
    inputs: {
      tokens: ['N', 'T'],
      in_n_layer_self_k_cache: cache,
      in_n_layer_self_v_cache: cache,
      n_layer_cross_k: [1, 1, 'C', 1],
      n_layer_cross_v: [1, 1, 'C', 1],
      offset: [1],
    },
    outputs: { logits: ['N', 'T', tokens] },
    whole: { tokens: 64, offset: 64 },
    constants: {
      scores: { dims: [1, 1, tokens], values },
      shape: { dims: [3], values: [1, 1, 1], isWhole: true },
      start: { dims: [1, 1], values: [50_258], isWhole: true },
      one: { dims: [1], values: [1] },
    },
    nodes: [
      // The logits are zero unless the request has the start token, empty caches and no offset.
      { type: 'Sub', inputs: ['tokens', 'start'], outputs: ['other'] },
      { type: 'Add', inputs: ['other', 'offset'], outputs: ['wrong'] },
      { type: 'Cast', inputs: ['wrong'], outputs: ['wrongly'], attributes: { to: 1 } },
      {
        type: 'ReduceSum',
        inputs: ['in_n_layer_self_k_cache'],
        outputs: ['keys'],
        attributes: { keepdims: 1 },
      },
      {
        type: 'ReduceSum',
        inputs: ['in_n_layer_self_v_cache'],
        outputs: ['values'],
        attributes: { keepdims: 1 },
      },
      { type: 'Add', inputs: ['keys', 'values'], outputs: ['filled'] },
      { type: 'Add', inputs: ['filled', 'n_layer_cross_k'], outputs: ['heard4'] },
      { type: 'Reshape', inputs: ['heard4', 'shape'], outputs: ['heard'] },
      { type: 'Mul', inputs: ['scores', 'heard'], outputs: ['scored'] },
      { type: 'Reshape', inputs: ['wrongly', 'shape'], outputs: ['fault'] },
      { type: 'Sub', inputs: ['one', 'fault'], outputs: ['right'] },
      { type: 'Mul', inputs: ['scored', 'right'], outputs: ['logits'] },
    ],
  }
}

/** Fake Spleeter stem that claims a range of bins. */
export function stem(from: number, to: number): Graph {
  const sides = [2, 'pieces', 512, 1024]
  return {
    inputs: { x: sides },
    outputs: { y: sides },
    constants: {
      own: {
        dims: [1024],
        values: Array.from({ length: 1024 }, (_, bin) => Number(bin >= from && bin < to)),
      },
    },
    nodes: [{ type: 'Mul', inputs: ['x', 'own'], outputs: ['y'] }],
  }
}

/** Fake speaker embedding: mean level of each of 80 bands, minus the mean of all bands. */
export const speakerEmbedding: Graph = {
  inputs: { x: ['N', 'T', 80] },
  outputs: { embedding: ['N', 80] },
  constants: { middle: { dims: [80, 80], values: centred(80) } },
  metadata: {
    framework: '3d-speaker',
    language: 'Chinese',
    url: 'https://models.invalid/',
    comment: 'a fake',
    sample_rate: '16000',
    output_dim: '80',
    normalize_samples: '1',
    feature_normalize_type: '',
  },
  nodes: [
    { type: 'ReduceMean', inputs: ['x'], outputs: ['mean'], attributes: { axes: [1], keepdims: 0 } },
    { type: 'MatMul', inputs: ['mean', 'middle'], outputs: ['embedding'] },
  ],
}

/** Subtracts the mean from a vector. */
function centred(size: number): number[] {
  return Array.from({ length: size * size }, (_, at) => (at % (size + 1) === 0 ? 1 : 0) - 1 / size)
}

/** Vocabulary of the fake SenseVoice. */
export const senseVoiceTokens = [
  '<blk>',
  '<|en|>',
  '<|NEUTRAL|>',
  '<|Speech|>',
  '<|withitn|>',
  '▁hel',
  'lo',
  '▁world',
  '中',
]

/**
 * Fake SenseVoice with the interface that sherpa-onnx requires: features of 560 in, scores of tokens out, with four
 * extra frames. It returns `▁hel lo ▁world 中`, one token per frame from the fourth frame on, for any sound.
 */
export function senseVoice(): Graph {
  const vocabulary = senseVoiceTokens.length
  const output = [1, 2, 3, 4, 5, 6, 0, 7, 8]
  return {
    inputs: { x: ['N', 'T', 560], x_length: ['N'], language: ['N'], text_norm: ['N'] },
    outputs: { logits: ['N', output.length, vocabulary] },
    whole: { x_length: 32, language: 32, text_norm: 32 },
    constants: {
      none: { dims: [1], values: [0] },
      scores: {
        dims: [1, output.length, vocabulary],
        values: output.flatMap((token) =>
          Array.from({ length: vocabulary }, (_, each) => (each === token ? 9 : 0)),
        ),
      },
    },
    metadata: {
      model_type: 'sense_voice_ctc',
      comment: 'a fake',
      version: '1',
      vocab_size: String(vocabulary),
      normalize_samples: '0',
      lfr_window_size: '7',
      lfr_window_shift: '6',
      lang_auto: '0',
      lang_zh: '3',
      lang_en: '4',
      lang_yue: '7',
      lang_ja: '11',
      lang_ko: '12',
      lang_nospeech: '13',
      with_itn: '14',
      without_itn: '15',
      neg_mean: Array.from({ length: 560 }, () => '0').join(','),
      inv_stddev: Array.from({ length: 560 }, () => '1').join(','),
    },
    nodes: [
      { type: 'ReduceMean', inputs: ['x'], outputs: ['mean'], attributes: { keepdims: 1 } },
      { type: 'Mul', inputs: ['mean', 'none'], outputs: ['nothing'] },
      { type: 'Add', inputs: ['nothing', 'scores'], outputs: ['logits'] },
    ],
  }
}
