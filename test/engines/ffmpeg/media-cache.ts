import { createHash, randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises'
import { extname, isAbsolute, join } from 'node:path'

/** Generated media by program, arguments and contents of the input files. Later runs and other test files copy it. */
const cacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/media')

interface MediaCommand {
  /** Identifies ffmpeg and its version. */
  readonly program: readonly string[]
  /** Arguments of ffmpeg, the output excepted. */
  readonly args: readonly string[]
  /** Runs the command with an output. */
  readonly generate: (path: string) => Promise<unknown>
}

/** Creates a media file, by copying the result of an equal command if there is one. */
export async function generateOnce(path: string, command: MediaCommand): Promise<void> {
  const facts = isSingleFile(path) ? await describeArguments(command.args) : undefined
  if (facts === undefined) await command.generate(path)
  else await copyFile(await cachedFile(facts, extname(path), command), path, constants.COPYFILE_FICLONE)
}

/** Returns the path of a media file in the cache, to read. No argument names a file. `extension`: of the file, with a dot. */
export function generatedFile(extension: string, command: MediaCommand): Promise<string> {
  return cachedFile(command.args, extension, command)
}

async function cachedFile(
  facts: readonly string[],
  extension: string,
  { program, generate }: MediaCommand,
): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify([...program, facts]))
  const cached = join(cacheFolder, `${key.digest('hex')}${extension}`)
  if (!existsSync(cached)) {
    await mkdir(cacheFolder, { recursive: true })
    // Several test files may generate it at the same time.
    const unfinished = join(cacheFolder, `${randomUUID()}${extension}`)
    await generate(unfinished)
    await rename(unfinished, cached)
  }
  return cached
}

/** Whether an output is one file, not a pipe or numbered files. */
function isSingleFile(path: string): boolean {
  return extname(path) !== '' && !path.includes('%')
}

/** A path inside an argument, such as a filter that reads a file. Fractions have a slash after a digit or a name. */
const pathInside = /[=:'"]\//

/**
 * Returns what the result depends on: the arguments, input files replaced by the checksums of their contents. Returns
 * undefined if arguments name other files, to read or to write.
 */
async function describeArguments(args: readonly string[]): Promise<readonly string[] | undefined> {
  const described: string[] = []
  let demuxer: string | undefined
  for (const [at, arg] of args.entries()) {
    const isInput = args[at - 1] === '-i'
    // Options apply to the next input.
    if (args[at - 1] === '-f') demuxer = arg
    if (args[at - 2] === '-i') demuxer = undefined
    if (isInput && demuxer === undefined && existsSync(arg)) {
      described.push(
        createHash('sha256')
          .update(await readFile(arg))
          .digest('hex'),
        extname(arg),
      )
    } else if ((isInput && demuxer !== 'lavfi') || isAbsolute(arg) || pathInside.test(arg)) {
      return undefined
    } else {
      described.push(arg)
    }
  }
  return described
}
