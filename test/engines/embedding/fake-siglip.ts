import { siglipTokenizerFiles } from '../../../src/engines/packs/embedding-packs.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { installFiles } from './install-files.ts'
import { onnxFile, type Graph } from '../onnx-file.ts'

/** Dimensions and side of the picture of both models. */
export const siglipSizes = {
  'siglip2-large': { dimensions: 1024, side: 256 },
  'siglip2-base': { dimensions: 768, side: 224 },
} as const

type SiglipPack = keyof typeof siglipSizes

/** An image tower with the inputs and outputs of SigLIP 2: the mean of parts of the tensor, each as long as a vector. */
function imageTower(pack: SiglipPack): Graph {
  const { dimensions, side } = siglipSizes[pack]
  const parts = (3 * side * side) / dimensions
  return {
    inputs: { pixel_values: ['batch_size', 3, side, side] },
    outputs: {
      last_hidden_state: ['batch_size', parts, dimensions],
      pooler_output: ['batch_size', dimensions],
    },
    constants: { shape: { dims: [3], values: [-1, parts, dimensions], isWhole: true } },
    nodes: [
      { type: 'Reshape', inputs: ['pixel_values', 'shape'], outputs: ['last_hidden_state'] },
      {
        type: 'ReduceMean',
        inputs: ['last_hidden_state'],
        outputs: ['pooler_output'],
        attributes: { axes: [1], keepdims: 0 },
      },
    ],
  }
}

/** A text tower with the inputs and outputs of SigLIP 2: each token in some numbers of the vector. */
function textTower(pack: SiglipPack): Graph {
  const { dimensions } = siglipSizes[pack]
  const each = dimensions / 64
  return {
    inputs: { input_ids: ['batch_size', 'sequence_length'] },
    outputs: { last_hidden_state: ['batch_size', 64, each], pooler_output: ['batch_size', dimensions] },
    whole: { input_ids: 64 },
    constants: {
      column: { dims: [3], values: [-1, 64, 1], isWhole: true },
      row: { dims: [2], values: [-1, dimensions], isWhole: true },
      factors: { dims: [1, 64, each], values: textFactors(pack) },
    },
    nodes: [
      { type: 'Cast', inputs: ['input_ids'], outputs: ['ids'], attributes: { to: 1 } },
      { type: 'Reshape', inputs: ['ids', 'column'], outputs: ['tokens'] },
      { type: 'Mul', inputs: ['tokens', 'factors'], outputs: ['scaled'] },
      { type: 'Cos', inputs: ['scaled'], outputs: ['last_hidden_state'] },
      { type: 'Reshape', inputs: ['last_hidden_state', 'row'], outputs: ['pooler_output'] },
    ],
  }
}

function textFactors(pack: SiglipPack): number[] {
  const { dimensions } = siglipSizes[pack]
  return Array.from({ length: dimensions }, (_, at) => 0.1 + (at % 13) / 10)
}

/** What the text tower returns for tokens, not normalized. */
export function textTowerOutput(pack: SiglipPack, ids: readonly number[]): number[] {
  const each = siglipSizes[pack].dimensions / 64
  return textFactors(pack).map((factor, at) => Math.cos(factor * (ids[Math.floor(at / each)] ?? 0)))
}

const words = ['▁', 'a', 'b', 'c', 'd', 'e', 'o', 't', 'g', 'ca', 'cat', 'do', 'dog', '猫']

/** Ids of tokens: the special ones of Gemma, then those of words. */
export const tokenIds: Readonly<Record<string, number>> = Object.fromEntries(
  ['<pad>', '<eos>', '<bos>', '<unk>', ...words].map((token, id) => [token, id]),
)

/** A small tokenizer with the parts of Gemma's: pairs of characters, `▁` for blanks, and `<eos>` after each text. */
const tokenizer = {
  version: '1.0',
  added_tokens: ['<pad>', '<eos>', '<bos>', '<unk>'].map((content, id) => ({
    ...{ id, content, special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  })),
  normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
  pre_tokenizer: {
    ...{ type: 'Split', pattern: { String: ' ' } },
    ...{ behavior: 'MergedWithPrevious', invert: false },
  },
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '<eos>', type_id: 0 } }],
    pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: { '<eos>': { id: '<eos>', ids: [1], tokens: ['<eos>'] } },
  },
  decoder: null,
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    ...{ fuse_unk: true, byte_fallback: false },
    vocab: tokenIds,
    merges: [
      ['c', 'a'],
      ['ca', 't'],
      ['d', 'o'],
      ['do', 'g'],
    ],
  },
}

const tokenizerConfig = {
  ...{ tokenizer_class: 'GemmaTokenizer', padding_side: 'right' },
  ...{ bos_token: '<bos>', eos_token: '<eos>', unk_token: '<unk>', pad_token: '<pad>' },
}

/** Writes a stand-in as the installed pack of a model, with its own file names, into a folder of packs. */
export async function installFakeSiglip(folder: string, pack: SiglipPack): Promise<string> {
  const { artifact, otherFiles } = manifest[pack]
  return await installFiles(folder, pack, {
    [artifact.file]: onnxFile(imageTower(pack)),
    [otherFiles[0].file]: onnxFile(textTower(pack)),
    [siglipTokenizerFiles.tokenizer]: Buffer.from(JSON.stringify(tokenizer)),
    [siglipTokenizerFiles.config]: Buffer.from(JSON.stringify(tokenizerConfig)),
  })
}
