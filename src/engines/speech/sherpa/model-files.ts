import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../../../contract/errors.ts'

/** What the names of files of models end with, as sherpa-onnx exports them; what comes earlier goes first. */
const fileEndings = {
  encoder: ['encoder.int8.onnx', 'encoder.onnx'],
  decoder: ['decoder.int8.onnx', 'decoder.onnx'],
  joiner: ['joiner.int8.onnx', 'joiner.onnx'],
  model: ['model.int8.onnx', 'model.onnx'],
  tokens: ['tokens.txt'],
  lexicon: ['lexicon.txt'],
  vocoder: ['vocos_24khz.onnx', 'vocoder.onnx'],
  dataDir: ['espeak-ng-data'],
  vocals: ['vocals.fp16.onnx', 'vocals.int8.onnx', 'vocals.onnx'],
  accompaniment: ['accompaniment.fp16.onnx', 'accompaniment.int8.onnx', 'accompaniment.onnx'],
} as const satisfies Record<string, readonly string[]>

export type ModelFileRole = keyof typeof fileEndings

/**
 * Paths of a model's files, found by their names in a folder, or beside the first file of a pack. Throws 6016 where
 * one is not there.
 */
export async function findModelFiles<Name extends ModelFileRole>(
  pack: string,
  place: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const folder = (await stat(place)).isDirectory() ? place : dirname(place)
  const there = (await readdir(folder)).toSorted()
  const found = names.map((name): readonly [Name, string] => {
    const file = fileEndings[name].flatMap((ending) => there.filter((each) => each.endsWith(ending))).at(0)
    if (file !== undefined) return [name, join(folder, file)]
    throw new MediaError(6016, `the model set for ${pack} has no file …${fileEndings[name].at(-1)}`, {
      hint: `Bring a folder with it, as sherpa-onnx exports such models, and set its path and checksum in models.${pack}.`,
    })
  })
  return Object.fromEntries(found) as Record<Name, string>
}
