import { parse } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Performance } from '../../media/piano/note.ts'
import { doubtOf } from '../../media/piano/doubt.ts'
import { recordingMs } from '../../media/piano/recording.ts'
import { hearingSeconds } from '../../media/piano/work.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { decodeVoice } from '../ffmpeg/voice-sound.ts'
import { openTranscriber, requireTranscriber } from './open.ts'

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
 * Finds what is played in a recording; `until` is the progress at its end. Throws 6017 for sound that does not decode,
 * 6014 where there is only silence or no piano.
 */
export async function hearPiano(
  file: StagedFile,
  context: Pick<RunContext, 'signal' | 'threads' | 'progress'>,
  until = 98,
): Promise<HeardPiano> {
  const { signal, threads } = context
  const seconds = recordingMs(file) / 1000
  const timeoutMs = longestMs(hearingSeconds(seconds * 1000))
  await using transcriber = await openTranscriber(threads, signal)
  const decode = () => decodeVoice(file.path, { signal, timeoutMs, seconds, rate: transcriber.rate })
  const { loudest, heard } = await measure(decode(), transcriber.rate)
  context.progress(measuring)
  if (loudest < silent) throw nothingHeard(file.name, 'it is silent')
  const { notes, pedals } = await transcriber.transcribe(scaled(decode(), usualLevel / loudest), {
    signal,
    onSeconds: (done) => context.progress(measuring + ((until - measuring) * done) / seconds),
  })
  const doubt = doubtOf(notes)
  if (doubt !== null) throw nothingHeard(file.name, doubt)
  const lacks = seconds - heard
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

/** For `ready` of an operation: 6401 where ffmpeg or what hears is missing. */
export async function requireHearing(): Promise<void> {
  await locateFfmpeg()
  await requireTranscriber()
}

/** Root mean square of the loudest 0.4 s: below the first there is silence (-70 dBFS); to the second it is brought. */
const silent = 10 ** (-70 / 20)
const usualLevel = 0.1

/** A machine may be busy and much slower than the one measured; this only ends what hangs. Milliseconds. */
export function longestMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

function nothingHeard(name: string, why: string): MediaError {
  return new MediaError(6014, `${name}: no piano was found: ${why}`, {
    hint: 'Give a recording in which a piano plays alone or well in front, without speech.',
  })
}

async function measure(
  sound: AsyncIterable<Float32Array>,
  rate: number,
): Promise<{ readonly loudest: number; readonly heard: number }> {
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
  return { loudest: Math.sqrt(Math.max(loudest, energy) / block), heard: samples / rate }
}

async function* scaled(sound: AsyncIterable<Float32Array>, gain: number): AsyncGenerator<Float32Array> {
  for await (const piece of sound) yield piece.map((sample) => sample * gain)
}

function wholeVelocity(velocity: number): number {
  return Math.min(127, Math.max(1, Math.round(velocity)))
}
