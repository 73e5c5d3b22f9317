import { clapFiles } from '../../../src/engines/packs/embedding-packs.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { type Graph, onnxFile } from '../onnx-file.ts'
import { installFiles } from './install-files.ts'

/** Dimensions of CLAP. */
export const clapDimensions = 512

/** Words of the stand-in, and the band of the mel spectrum (0 to 63) that each means: near 220, 1000 and 4000 Hz. */
export const soundWords = { hum: 2, beep: 17, whistle: 41 } as const

/** An audio tower with the inputs and outputs of CLAP: about 1 at the loudest band of the mean levels, else about 0. */
const audioTower: Graph = {
  inputs: { input_features: ['batch_size', 'num_channels', 'height', 'width'] },
  outputs: { audio_embeds: ['batch_size', clapDimensions] },
  constants: {
    spread: {
      dims: [64, clapDimensions],
      values: Array.from({ length: 64 * clapDimensions }, (_, at) =>
        Number(at % clapDimensions === Math.floor(at / clapDimensions)),
      ),
    },
  },
  nodes: [
    {
      ...{ type: 'ReduceMean', inputs: ['input_features'], outputs: ['levels'] },
      attributes: { axes: [1, 2], keepdims: 0 },
    },
    { type: 'Softmax', inputs: ['levels'], outputs: ['shares'] },
    { type: 'MatMul', inputs: ['shares', 'spread'], outputs: ['audio_embeds'] },
  ],
}

/** Ids of tokens: the special ones of RoBERTa, then single letters, pairs and words. `Ġ` is a blank. */
const vocabulary = [
  '<s>',
  '<pad>',
  '</s>',
  '<unk>',
  '<mask>',
  'Ġ',
  'h',
  'u',
  'm',
  'b',
  'e',
  'p',
  'w',
  'i',
  's',
  't',
  'l',
]
const merged = [
  'hu',
  'hum',
  'be',
  'ep',
  'beep',
  'wh',
  'is',
  'tl',
  'whis',
  'tle',
  'tl',
  'whistle',
  'Ġhum',
  'Ġbeep',
  'Ġwhistle',
]
const tokens = [...new Set([...vocabulary, ...merged])]

export const clapTokenIds: Readonly<Record<string, number>> = Object.fromEntries(
  tokens.map((token, id) => [token, id]),
)

/** A small tokenizer with the parts of RoBERTa's: bytes as characters, with `<s>` before and `</s>` after each text. */
const tokenizer = {
  version: '1.0',
  added_tokens: ['<s>', '<pad>', '</s>', '<unk>', '<mask>'].map((content, id) => ({
    ...{ id, content, special: true },
    ...{ single_word: false, lstrip: content === '<mask>', rstrip: false, normalized: false },
  })),
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
  post_processor: {
    ...{ type: 'RobertaProcessing', sep: ['</s>', 2], cls: ['<s>', 0] },
    ...{ trim_offsets: true, add_prefix_space: false },
  },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true },
  model: {
    ...{ type: 'BPE', unk_token: '<unk>', fuse_unk: false },
    ...{ continuing_subword_prefix: '', end_of_word_suffix: '' },
    vocab: clapTokenIds,
    merges: [
      ...['h u', 'hu m', 'b e', 'e p', 'be ep', 'w h', 'i s', 'wh is', 't l', 'tl e', 'whis tle'],
      ...['Ġ hum', 'Ġ beep', 'Ġ whistle'],
    ],
  },
}

/**
 * A text tower with the inputs and outputs of CLAP's export: the sum of the bands of the words. Other tokens add the same small
 * number at a position of their own, which no sound has.
 */
function textTower(hasMask: boolean): Graph {
  const rows = tokens.flatMap((token, id) => {
    const band = Object.entries(soundWords).find(([word]) => token.replace('Ġ', '') === word)?.[1]
    return Array.from({ length: clapDimensions }, (_, at) => {
      if (band !== undefined) return Number(at === band)
      return at === 100 + id ? 0.1 : 0
    })
  })
  const names = ['input_ids', ...(hasMask ? ['attention_mask'] : [])]
  return {
    inputs: Object.fromEntries(names.map((name) => [name, ['batch_size', 'sequence_length']])),
    outputs: { text_embeds: ['batch_size', clapDimensions] },
    whole: Object.fromEntries(names.map((name) => [name, 64])),
    constants: { rows: { dims: [tokens.length, clapDimensions], values: rows } },
    nodes: [
      { type: 'Gather', inputs: ['rows', 'input_ids'], outputs: ['found'] },
      ...(hasMask
        ? [
            { type: 'Cast', inputs: ['attention_mask'], outputs: ['weights'], attributes: { to: 1 } },
            { type: 'MatMul', inputs: ['weights', 'found'], outputs: ['sums'] },
          ]
        : []),
      {
        ...{ type: 'ReduceMean', inputs: [hasMask ? 'sums' : 'found'], outputs: ['text_embeds'] },
        attributes: { axes: [1], keepdims: 0 },
      },
    ],
  }
}

/** Writes a stand-in as the installed pack of CLAP into a folder of packs. hasMask: whether the text tower reads a mask. */
export async function installFakeClap(folder: string, { hasMask = false } = {}): Promise<string> {
  return await installFiles(folder, 'clap', {
    [manifest.clap.artifact.file]: onnxFile(audioTower),
    [clapFiles.text]: onnxFile(textTower(hasMask)),
    [clapFiles.tokenizer]: Buffer.from(JSON.stringify(tokenizer)),
  })
}
