import { parse } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { GivenFile, RunContext, StagedFile } from '../../contract/operation.ts'
import { missingAudioNotes } from '../../media/audio/missing-audio.ts'
import type { Performance } from '../../media/piano/note.ts'
import { rejectNonPiano } from '../../media/piano/reject-non-piano.ts'
import {
  declaredDurationMs,
  recordingDurationMs,
  transcriptionSeconds,
  workTimeoutMs,
} from '../../media/piano/recording.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { stepsIn } from '../ffmpeg/steps.ts'
import { decodeVoice } from '../ffmpeg/voice-sound.ts'
import { ownModelSha256 } from '../packs/use.ts'
import { openPianoTranscriber, transcriberPace, requirePianoTranscriber } from './select-transcriber.ts'
import type { PianoTranscription, PianoTranscriber } from './transcriber.ts'

/** What was played in a recording, and what both operations tell of it. */
export interface TranscribePianoResult {
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
const measuringPercent = 5

/**
 * Finds what is played in a recording; `until` is the progress at its end. What was heard is kept as a finished step of
 * the task. Throws 6017 for sound that does not decode, 6014 where there is only silence or no piano.
 */
export async function transcribePiano(
  file: StagedFile,
  context: Pick<RunContext, 'signal' | 'threads' | 'steps' | 'progress'>,
  until = 98,
): Promise<TranscribePianoResult> {
  const seconds = recordingDurationMs(file) / 1000
  await using transcriber = await openPianoTranscriber(context.threads, context.signal)
  const finished = await stepsIn(context.steps)
  const madeOf = [file.file_id, seconds, transcriber.name, await ownModelSha256('piano-model')]
  const kept = await finished.text('transcription', madeOf, async () =>
    JSON.stringify(await transcribeRecording({ file, seconds, transcriber }, context, until)),
  )
  const { notes, pedals, lasted, filled } = JSON.parse(kept) as StoredTranscription
  const doubt = rejectNonPiano(notes)
  if (doubt !== null) throw noPianoError(file.name, doubt)
  const lacks = declaredDurationMs(file.facts) / 1000 - lasted
  const remarks = [
    ...missingAudioNotes(file.facts, filled),
    ...(lacks > 1 ? [`the sound ends ${lacks.toFixed(1)} s before the file says`] : []),
  ]
  const told = {
    ...{ notes_found: notes.length, pedal: transcriber.pedal, transcriber: transcriber.name },
    duration: Math.round(seconds * 1000) / 1000,
    ...(remarks.length > 0 && { notes: remarks }),
  }
  const baseName = [...parse(file.name).name].slice(0, 60).join('')
  const rounded = notes.map(({ pitch, start, end, velocity }) => ({
    ...{ pitch, start, end },
    velocity: midiVelocity(velocity),
  }))
  return { performance: { notes: rounded, pedals }, facts: { baseName, told } }
}

interface RecordingJob {
  readonly file: StagedFile
  readonly seconds: number
  readonly transcriber: PianoTranscriber
}

interface StoredTranscription extends PianoTranscription {
  /** Seconds of sound there were, and those of them that silence stands for. */
  readonly lasted: number
  readonly filled: number
}

async function transcribeRecording(
  { file, seconds, transcriber }: RecordingJob,
  { signal, progress }: Pick<RunContext, 'signal' | 'progress'>,
  until: number,
): Promise<StoredTranscription> {
  const { rate, pace } = transcriber
  const timeoutMs = workTimeoutMs(transcriptionSeconds(seconds * 1000, pace))
  let filled = 0
  const wish = { signal, timeoutMs, seconds, rate }
  const whole = decodeVoice(file.path, { ...wish, onHoles: (told) => (filled = told) })
  const { loudest, lasted } = await measureRecording(whole, rate)
  progress(measuringPercent)
  if (loudest < silenceRms) throw noPianoError(file.name, 'it is silent')
  const heard = await transcriber.transcribe(
    scaleSamples(decodeVoice(file.path, wish), targetRms / loudest),
    {
      signal,
      onSeconds: (done) => progress(measuringPercent + ((until - measuringPercent) * done) / seconds),
    },
  )
  return { ...heard, lasted, filled }
}

/** For `ready` of an operation: 6401 where ffmpeg or what hears is missing. */
export async function requirePianoTranscription(): Promise<void> {
  await locateFfmpeg()
  await requirePianoTranscriber()
}

/** Seconds of work to expect for finding the notes of a recording by what is there to hear it. */
export async function expectedTranscriptionSeconds(file: Pick<GivenFile, 'name' | 'facts'>): Promise<number> {
  return transcriptionSeconds(recordingDurationMs(file), await transcriberPace())
}

/** Root mean square of the loudest 0.4 s: below the first there is silence (-70 dBFS); to the second it is brought. */
const silenceRms = 10 ** (-70 / 20)
const targetRms = 0.1

function noPianoError(name: string, why: string): MediaError {
  return new MediaError(6014, `${name}: no piano was found: ${why}`, {
    hint: 'Give a recording in which a piano plays alone or well in front, without speech.',
  })
}

async function measureRecording(
  sound: AsyncIterable<Float32Array>,
  rate: number,
): Promise<{ readonly loudest: number; readonly lasted: number }> {
  const block = Math.round(0.4 * rate)
  let [loudest, energy, inBlock, samples] = [0, 0, 0, 0]
  for await (const piece of sound) {
    for (const sample of piece) {
      energy += sample * sample
      inBlock += 1
      if (inBlock < block) continue
      loudest = Math.max(loudest, energy)
      ;[energy, inBlock] = [0, 0]
    }
    samples += piece.length
  }
  return { loudest: Math.sqrt(Math.max(loudest, energy) / block), lasted: samples / rate }
}

async function* scaleSamples(sound: AsyncIterable<Float32Array>, gain: number): AsyncGenerator<Float32Array> {
  for await (const piece of sound) yield piece.map((sample) => sample * gain)
}

function midiVelocity(velocity: number): number {
  return Math.min(127, Math.max(1, Math.round(velocity)))
}
