import { parse } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { missingAudioNotes } from '../../media/audio/missing-audio.ts'
import { replayable } from '../../media/audio/replayable.ts'
import type { Performance } from '../../media/piano/note.ts'
import { rejectNonPiano } from '../../media/piano/reject-non-piano.ts'
import {
  declaredDurationMs,
  recordingDurationMs,
  transcriptionSeconds,
  workTimeoutMs,
} from '../../media/piano/recording.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import { ownModelSha256 } from '../packs/resolve.ts'
import { openPianoTranscriber } from './select-transcriber.ts'
import type { PianoTranscription, PianoTranscriber } from './transcriber.ts'

/** Transcription of a recording, and the output fields that both piano operations share. */
export interface TranscribePianoResult {
  readonly performance: Performance
  readonly facts: {
    /** File name without its extension, at most 60 characters. */
    readonly baseName: string
    readonly output: {
      readonly notes_found: number
      readonly pedal: boolean
      readonly duration: number
      readonly transcriber: string
      readonly notes?: string[]
    }
  }
}

/** Share of the progress taken by measuring the level, percent. */
const measuringPercent = 5

/**
 * Transcribes a recording; `until` is the progress at the end, percent. The result is stored as a finished step of the
 * task. Throws 6017 if the sound does not decode, 6014 for silence or sound that is not a piano.
 */
export async function transcribePiano(
  file: StagedFile,
  context: Pick<RunContext, 'signal' | 'threads' | 'steps' | 'progress'>,
  until = 98,
): Promise<TranscribePianoResult> {
  const seconds = recordingDurationMs(file) / 1000
  await using transcriber = await openPianoTranscriber(context.threads, context.signal)
  const finished = await openStepCache(context.steps)
  const model = await ownModelSha256('piano-model')
  const stepInputs = { file: file.file_id, seconds, transcriber: transcriber.name, model }
  const stored = await finished.text('transcription', stepInputs, async () =>
    JSON.stringify(await transcribeRecording({ file, seconds, transcriber }, context, until)),
  )
  const transcription = JSON.parse(stored) as StoredTranscription
  const { notes, pedals, decodedSeconds, insertedSilenceSeconds } = transcription
  const rejection = rejectNonPiano(notes)
  if (rejection !== null) throw noPianoError(file.name, rejection)
  const missingSeconds = declaredDurationMs(file.facts) / 1000 - decodedSeconds
  const notesOnSound = [
    ...missingAudioNotes(file.facts, insertedSilenceSeconds),
    ...(missingSeconds > 1 ? [`the sound ends ${missingSeconds.toFixed(1)} s before the declared end`] : []),
  ]
  const output = {
    ...{ notes_found: notes.length, pedal: transcriber.pedal, transcriber: transcriber.name },
    duration: Math.round(seconds * 1000) / 1000,
    ...(notesOnSound.length > 0 && { notes: notesOnSound }),
  }
  const baseName = [...parse(file.name).name].slice(0, 60).join('')
  const rounded = notes.map(({ pitch, start, end, velocity }) => ({
    ...{ pitch, start, end },
    velocity: midiVelocity(velocity),
  }))
  return { performance: { notes: rounded, pedals }, facts: { baseName, output } }
}

interface RecordingJob {
  readonly file: StagedFile
  readonly seconds: number
  readonly transcriber: PianoTranscriber
}

interface StoredTranscription extends PianoTranscription {
  /** Decoded seconds, and how many of them are silence in place of missing sound. */
  readonly decodedSeconds: number
  readonly insertedSilenceSeconds: number
}

async function transcribeRecording(
  { file, seconds, transcriber }: RecordingJob,
  { signal, progress }: Pick<RunContext, 'signal' | 'progress'>,
  until: number,
): Promise<StoredTranscription> {
  const { rate, secondsPerSecond } = transcriber
  const timeoutMs = workTimeoutMs(transcriptionSeconds(seconds * 1000, secondsPerSecond))
  let insertedSilenceSeconds = 0
  const decoding = { signal, timeoutMs, seconds, rate }
  const read = replayable(() =>
    decodeVoice(file.path, { ...decoding, onGaps: (missing) => (insertedSilenceSeconds = missing) }),
  )
  const { maxBlockRms, decodedSeconds } = await measureRecording(read(), rate)
  progress(measuringPercent)
  if (maxBlockRms < silenceRms) throw noPianoError(file.name, 'it is silent')
  const transcription = await transcriber.transcribe(scaleSamples(read(), targetRms / maxBlockRms), {
    signal,
    onSeconds: (done) => progress(measuringPercent + ((until - measuringPercent) * done) / seconds),
  })
  return { ...transcription, decodedSeconds, insertedSilenceSeconds }
}

/** RMS of the loudest 0.4 s: below the first (-70 dBFS) a recording is silent; it is amplified to the second. */
const silenceRms = 10 ** (-70 / 20)
const targetRms = 0.1

function noPianoError(name: string, why: string): MediaError {
  return new MediaError(6014, `${name} contains no piano: ${why}`, {
    hint: 'Give a recording of a piano, solo or dominant, without speech.',
  })
}

async function measureRecording(
  sound: AsyncIterable<Float32Array>,
  rate: number,
): Promise<{ readonly maxBlockRms: number; readonly decodedSeconds: number }> {
  const block = Math.round(0.4 * rate)
  let [maxEnergy, energy, inBlock, samples] = [0, 0, 0, 0]
  for await (const piece of sound) {
    for (const sample of piece) {
      energy += sample * sample
      inBlock += 1
      if (inBlock < block) continue
      maxEnergy = Math.max(maxEnergy, energy)
      ;[energy, inBlock] = [0, 0]
    }
    samples += piece.length
  }
  return { maxBlockRms: Math.sqrt(Math.max(maxEnergy, energy) / block), decodedSeconds: samples / rate }
}

async function* scaleSamples(sound: AsyncIterable<Float32Array>, gain: number): AsyncGenerator<Float32Array> {
  for await (const piece of sound) yield piece.map((sample) => sample * gain)
}

function midiVelocity(velocity: number): number {
  return Math.min(127, Math.max(1, Math.round(velocity)))
}
