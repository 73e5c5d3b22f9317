import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { decodeWav, encodeWav } from '../src/media/audio/wav.ts'
import { resample } from '../src/media/audio/resample.ts'
import { speechRate, type TimedWord } from '../src/media/speech/speech-types.ts'
import { fails, json, startFakeService, type FakeService } from '../test/engines/services/fake-service.ts'

const run = promisify(execFile)
const program = 'pocketsphinx_continuous'

/** Returns the version of the installed pocketsphinx and its English model, as Debian states it; undefined without them. */
export async function pocketsphinxVersion(): Promise<string | undefined> {
  const query = ['-W', '-f', '${Package} ${Version} ', 'pocketsphinx', 'pocketsphinx-en-us']
  const installed = await run('dpkg-query', query).catch(() => undefined)
  return installed?.stdout.trim()
}

/** Beams of alignment: wide, so that no true path is lost. */
const beams = ['-beam', '1e-100', '-pbeam', '1e-90', '-wbeam', '1e-80']

/** Returns the times of known words in sound (mono, 16 kHz), to 10 ms. Throws if they do not fit. */
export async function alignWords(sound: Float32Array, words: readonly string[]): Promise<TimedWord[]> {
  const grammar = `#JSGF V1.0;\ngrammar words;\npublic <words> = ${words.join(' ')};\n`
  const times = await recognise(sound, { grammar })
  if (times.length !== words.length) throw new Error(`no alignment of "${words.join(' ')}"`)
  return times
}

/** Recognises sound, with the words of a grammar or any. */
async function recognise(
  sound: Float32Array,
  { grammar }: { readonly grammar?: string } = {},
): Promise<TimedWord[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pocketsphinx-'))
  try {
    const [wav, words] = [join(folder, 'sound.wav'), join(folder, 'words.gram')]
    await writeFile(wav, encodeWav({ samples: sound, rate: speechRate }))
    if (grammar !== undefined) await writeFile(words, grammar)
    const restricted = grammar === undefined ? [] : ['-jsgf', words, ...beams]
    const { stdout } = await run(program, [
      ...['-infile', wav, '-time', 'yes', '-logfn', '/dev/null'],
      ...restricted,
    ])
    return parseTimes(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads lines such as `was(2) 0.330 0.540 0.999800`. Silence and noise are in angle or square brackets. */
function parseTimes(output: string): TimedWord[] {
  return [...output.matchAll(/^([\w'.-]+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) /gm)].map(
    ([, text = '', start, end]) => ({ text, start: Number(start), end: Number(end) + 0.01 }),
  )
}

/**
 * Starts an OpenAI-compatible transcription service in which pocketsphinx recognises English. Sound that was recognised
 * before is answered from memory.
 */
export async function startPocketsphinx(): Promise<FakeService> {
  const known = new Map<string, Promise<TimedWord[]>>()
  return await startFakeService(async (response, heard) => {
    const from = heard.body.indexOf('RIFF')
    if (from < 0) return await fails(400)(response, heard)
    const file = heard.body.subarray(from, from + 8 + heard.body.readUInt32LE(from + 4))
    const key = createHash('sha256').update(file).digest('hex')
    const sound = resample(decodeWav(file), speechRate)
    const recognition = known.get(key) ?? recognise(sound)
    known.set(key, recognition)
    const words = await recognition
    const timed = words.map(({ text, start, end }) => ({ word: text, start, end }))
    return await json({
      ...{ task: 'transcribe', language: 'en', duration: sound.length / speechRate },
      ...{ text: words.map(({ text }) => text).join(' '), words: timed, segments: [] },
    })(response, heard)
  })
}
