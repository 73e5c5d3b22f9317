import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../../../contract/errors.ts'

/** Suffixes of model file names, as exported by sherpa-onnx; earlier ones take precedence. */
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

/**
 * Names of files that models consist of: those above, and ONNX files with their external data. A further file of such a
 * name in the folder of a model may be loaded instead of its own.
 */
export const modelFileNames = new RegExp(
  String.raw`\.onnx|(${Object.values(fileEndings).flat().map(escapePattern).join('|')})$`,
  'i',
)

function escapePattern(text: string): string {
  return text.replaceAll('.', String.raw`\.`)
}

export type ModelFileRole = keyof typeof fileEndings

/**
 * Finds the files of a model by name, in a folder or beside the given file. Throws 6016 if one is missing.
 */
export async function findModelFiles<Name extends ModelFileRole>(
  pack: string,
  path: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const folder = (await stat(path)).isDirectory() ? path : dirname(path)
  const fileNames = (await readdir(folder)).toSorted()
  const found = names.map((name): readonly [Name, string] => {
    const file = fileEndings[name]
      .flatMap((ending) => fileNames.filter((each) => each.endsWith(ending)))
      .at(0)
    if (file !== undefined) return [name, join(folder, file)]
    throw new MediaError(6016, `the configured model for ${pack} has no file …${fileEndings[name].at(-1)}`, {
      hint: `Use a folder of a model exported for sherpa-onnx, and set its path and checksum in models.${pack}.`,
    })
  })
  return Object.fromEntries(found) as Record<Name, string>
}
