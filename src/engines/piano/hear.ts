import { parse } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Performance } from '../../media/piano/note.ts'
import { doubtOf } from '../../media/piano/doubt.ts'
import { recordingMs, toldMs } from '../../media/piano/recording.ts'
import { hearingSeconds, longestMs } from '../../media/piano/work.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { stepsIn } from '../ffmpeg/steps.ts'
import { decodeVoice } from '../ffmpeg/voice-sound.ts'
import { ownSum } from '../packs/use.ts'
import { openTranscriber, requireTranscriber } from './open.ts'
import type { Heard, Transcriber } from './transcriber.ts'

/** What was played in a recording, and what both operations tell of it. */
export interface HeardPiano {
  readonly performance: Performance
  readonly facts: {
    /** The recording's name, short, without its extension. */
    readonly baseName: string
    readonly told: {
      readonly notes_found: number
      readonly pedal: boolean
      readonly duration: number
      readonly transcriber: string
      readonly notes?: string[]
    }
  }
}

/** Share of the progress that measuring the level takes, percent. */
const measuring = 5

/**
 * Finds what is played in a recording; `until` is the progress at its end. What was heard is kept as a finished step of
 * the task. Throws 6017 for sound that does not decode, 6014 where there is only silence or no piano.
 */
export async function hearPiano(
  file: StagedFile,
  context: Pick<RunContext, 'signal' | 'threads' | 'steps' | 'progress'>,
  until = 98,
): Promise<HeardPiano> {
  const seconds = recordingMs(file) / 1000
  await using transcriber = await openTranscriber(context.threads, context.signal)
  const finished = await stepsIn(context.steps)
  const madeOf = [file.file_id, seconds, transcriber.name, await ownSum('piano-model')]
  const kept = await finished.text('heard', madeOf, async () =>
    JSON.stringify(await listen({ file, seconds, transcriber }, context, until)),
  )
  const { notes, pedals, lasted } = JSON.parse(kept) as Listened
  const doubt = doubtOf(notes)
  if (doubt !== null) throw nothingHeard(file.name, doubt)
  const lacks = toldMs(file.facts) / 1000 - lasted
  const told = {
    ...{ notes_found: notes.length, pedal: transcriber.pedal, transcriber: transcriber.name },
    duration: Math.round(seconds * 1000) / 1000,
    ...(lacks > 1 ? { notes: [`the sound ends ${lacks.toFixed(1)} s before the file says`] } : {}),
  }
  const baseName = [...parse(file.name).name].slice(0, 60).join('')
  const rounded = notes.map(({ pitch, start, end, velocity }) => ({
    ...{ pitch, start, end },
    velocity: wholeVelocity(velocity),
  }))
  return { performance: { notes: rounded, pedals }, facts: { baseName, told } }
}

interface Recording {
  readonly file: StagedFile
  readonly seconds: number
  readonly transcriber: Transcriber
}

interface Listened extends Heard {
  /** Seconds of sound there were. */
  readonly lasted: number
}

async function listen(
  { file, seconds, transcriber }: Recording,
  { signal, progress }: Pick<RunContext, 'signal' | 'progress'>,
  until: number,
): Promise<Listened> {
  const { rate, pace } = transcriber
  const timeoutMs = longestMs(hearingSeconds(seconds * 1000, pace))
  const decode = () => decodeVoice(file.path, { signal, timeoutMs, seconds, rate })
  const { loudest, lasted } = await measure(decode(), rate)
  progress(measuring)
  if (loudest < silent) throw nothingHeard(file.name, 'it is silent')
  const heard = await transcriber.transcribe(scaled(decode(), usualLevel / loudest), {
    signal,
    onSeconds: (done) => progress(measuring + ((until - measuring) * done) / seconds),
  })
  return { ...heard, lasted }
}

/** For `ready` of an operation: 6401 where ffmpeg or what hears is missing. */
export async function requireHearing(): Promise<void> {
  await locateFfmpeg()
  await requireTranscriber()
}

/** Root mean square of the loudest 0.4 s: below the first there is silence (-70 dBFS); to the second it is brought. */
const silent = 10 ** (-70 / 20)
const usualLevel = 0.1

function nothingHeard(name: string, why: string): MediaError {
  return new MediaError(6014, `${name}: no piano was found: ${why}`, {
    hint: 'Give a recording in which a piano plays alone or well in front, without speech.',
  })
}

async function measure(
  sound: AsyncIterable<Float32Array>,
  rate: number,
): Promise<{ readonly loudest: number; readonly lasted: number }> {
  const block = Math.round(0.4 * rate)
  let [loudest, energy, filled, samples] = [0, 0, 0, 0]
  for await (const piece of sound) {
    for (const sample of piece) {
      energy += sample * sample
      filled += 1
      if (filled < block) continue
      loudest = Math.max(loudest, energy)
      ;[energy, filled] = [0, 0]
    }
    samples += piece.length
  }
  return { loudest: Math.sqrt(Math.max(loudest, energy) / block), lasted: samples / rate }
}

async function* scaled(sound: AsyncIterable<Float32Array>, gain: number): AsyncGenerator<Float32Array> {
  for await (const piece of sound) yield piece.map((sample) => sample * gain)
}

function wholeVelocity(velocity: number): number {
  return Math.min(127, Math.max(1, Math.round(velocity)))
}
