import { MediaError } from '../../src/contract/errors.ts'
import { hearSpeakers, type HeardSpeakers } from '../../src/engines/dubbing/hear-speakers.ts'
import type { SpokenSource } from '../../src/engines/dubbing/open-dub-voice.ts'
import { type SeparatedSource, separateSource } from '../../src/engines/dubbing/separate-source.ts'
import { failureReason } from '../../src/engines/failure-reason.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { dubLines } from '../../src/media/dubbing/dub-lines.ts'
import { type DubJob, stageProgress } from './dub-job.ts'

/** The lines of a source, and its separated sound. */
export interface HeardSource extends SpokenSource {
  /** Undefined if the sound could not be separated. */
  readonly sound: SeparatedSource | undefined
  /** Name of the recogniser. */
  readonly recogniser: string
}

interface HearSourceStages {
  /** Progress when the sound is separated, and when it is recognised, percent. */
  readonly separated: number
  readonly heard: number
}

/** Separates the voices of a source, and recognises its lines and speakers. Throws 6016 if nothing is said. */
export async function hearSource(job: DubJob, stages: HearSourceStages): Promise<HeardSource> {
  const { source, context, input, notes } = job
  const { signal, steps } = context
  const sound = await separateVoices(job, stageProgress(context, 0, stages.separated))
  // The voice of a source without music is better before its separation.
  const isSeparated = sound !== undefined && (sound.music !== null || !sound.keepsMusic)
  const file = isSeparated ? { ...source, path: sound.voice } : source
  const progress = stageProgress(context, stages.separated, stages.heard)
  const cache = await openStepCache(steps)
  const text = await cache.text('speech', [source.blake3, isSeparated, input.source_lang], async () => {
    const options = { language: input.source_lang, signal, steps }
    return JSON.stringify(
      await hearSpeakers(file, { ...options, progress: (percent) => progress(percent / 100) }),
    )
  })
  const { transcript, turns, recogniser, notes: remarks } = JSON.parse(text) as HeardSpeakers
  const lines = dubLines(transcript, turns)
  if (lines.length === 0) {
    throw new MediaError(6016, `file_id: no speech was recognised in ${source.name}`, {
      hint: 'Check that somebody speaks in it, and that source_lang is the language.',
    })
  }
  progress(1)
  notes.push(...remarks)
  return { file, isSeparated, lines, turns, sound, recogniser }
}

/**
 * Separates the sound. Without that, the dub has no music, and the source is recognised with all of its sound. A failure is
 * remembered too, so that each attempt at a task recognises the same sound, has the same lines, and asks the same questions.
 */
async function separateVoices(
  { source, input, context, failures, notes }: DubJob,
  onShare: (share: number) => void,
): Promise<SeparatedSource | undefined> {
  const cache = await openStepCache(context.steps)
  let sound: SeparatedSource | undefined
  // Empty if it succeeds.
  const reason = await cache.text('failed-separation', [source.blake3], async () => {
    try {
      sound = await separateSource(source, { ...context, onShare })
      return ''
    } catch (error) {
      return failureReason(error, context.signal)
    }
  })
  onShare(1)
  if (reason === '') return sound ?? (await separateSource(source, context))
  if (input.keep_bgm) failures.errors.bgm = reason
  else notes.push(`the voices were not separated from other sound before recognition: ${reason}`)
  return undefined
}
