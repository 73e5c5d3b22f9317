import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rational } from '../../src/contract/media-facts.ts'
import { extendVideo } from '../../src/engines/dubbing/base-video.ts'
import { layLines } from '../../src/engines/dubbing/lay-lines.ts'
import { mixDub } from '../../src/engines/dubbing/mix-dub.ts'
import { muxDub } from '../../src/engines/dubbing/mux-dub.ts'
import type { SeparatedSource } from '../../src/engines/dubbing/separate-source.ts'
import { toFitLine, type SpokenLine } from '../../src/engines/dubbing/speak-lines.ts'
import { soundRate } from '../../src/engines/ffmpeg/sound-filters.ts'
import { typefaceFor } from '../../src/engines/subtitles/typefaces.ts'
import { bilingualDubSrt, dubAss, type SubtitledLine, dubSrt } from '../../src/media/dubbing/dub-subtitles.ts'
import { type Fit, fitLines } from '../../src/media/dubbing/fit.ts'
import { constantRate } from '../../src/media/frame-rate.ts'
import { uprightSize } from '../../src/media/geometry.ts'
import { isBurnedIn } from './contract.ts'
import { type DubJob, stageProgress } from './dub-job.ts'

/** Samples per ms of a dub. */
const samplesPerMs = soundRate / 1000

/** A finished dub; paths of its files. */
export interface RenderedDub {
  readonly fit: Fit
  /** The dubbed mp4, or the mp3 of audio. */
  readonly output: string
  /** The dub alone, WAV. */
  readonly dub: string
  /** The video with held frames, if there are any. */
  readonly base: string | undefined
  readonly subtitles: string | undefined
  readonly bilingualSubtitles: string | undefined
  readonly isBurned: boolean
}

interface RenderDubStages {
  /** Progress at the start, and when the picture is encoded, the lines are laid, and the sound is mixed, percent. */
  readonly spoken: number
  readonly pictured: number
  readonly laid: number
  readonly mixed: number
}

/** Fits spoken lines to the source, and writes its picture, sound and subtitles. `sound`: with the music to keep, if any. */
export async function renderDub(
  lines: readonly SpokenLine[],
  sound: SeparatedSource | undefined,
  { job, stages }: { readonly job: DubJob; readonly stages: RenderDubStages },
): Promise<RenderedDub> {
  const { source, context, input, notes } = job
  const { scratch } = context
  const isBurned = isBurnedIn(input.subtitle)
  const half = isBurned ? (stages.spoken + stages.pictured) / 2 : stages.pictured
  const { fit, base } = await fitToPicture(lines, job, stageProgress(context, stages.spoken, half))
  const shown = subtitledLines(lines, fit)
  const files = await writeSubtitleFiles(shown, { fit, job })
  const onBurned = stageProgress(context, half, stages.pictured)
  const burned = isBurned ? await burnSubtitles(shown, { fit, job, onShare: onBurned }) : undefined
  const { dub, mixed } = await renderSound(lines, sound, { fit, job, stages })
  if (!source.facts.video) return { fit, output: mixed, dub, base, ...files, isBurned: false }
  const output = join(scratch, 'dubbed.mp4')
  const streams = {
    ...{ source, sound: mixed, language: input.target_lang, base: burned ?? base },
    subtitles: input.subtitle === 'soft' ? files.subtitles : undefined,
  }
  const onMuxed = stageProgress(context, stages.mixed, 100)
  const muxed = await muxDub(streams, { ...context, path: output, onShare: onMuxed })
  notes.push(...muxed.notes)
  if (muxed.subtitleFailure !== undefined) job.failures.errors.subtitle = muxed.subtitleFailure
  return { fit, output, dub, base, ...files, isBurned: burned !== undefined }
}

/** Lays the lines and mixes them with the music. Returns the paths of both. */
async function renderSound(
  lines: readonly SpokenLine[],
  sound: SeparatedSource | undefined,
  { fit, job, stages }: SubtitleJob & { readonly stages: RenderDubStages },
): Promise<{ readonly dub: string; readonly mixed: string }> {
  const { source, context, notes } = job
  const { scratch, signal } = context
  const duration = fit.duration * samplesPerMs
  const dub = join(scratch, 'dub.wav')
  const onLaid = stageProgress(context, stages.pictured, stages.laid)
  const spans = await layLines(placedLines(lines, fit), {
    ...{ path: dub, duration, signal },
    onLines: (count) => onLaid(count / lines.length),
  })
  const music = sound?.music ?? undefined
  const background = sound && music !== undefined ? { ...sound, music } : undefined
  const mixed = join(scratch, source.facts.video ? 'dubbed.m4a' : 'dubbed.mp3')
  const onShare = stageProgress(context, stages.laid, stages.mixed)
  notes.push(
    ...(await mixDub({ dub, spans, background }, { path: mixed, source, duration, signal, onShare })),
  )
  return { dub, mixed }
}

/** Fits lines, and holds the picture where they need it. If that fails, lines are fitted without held frames. */
async function fitToPicture(
  lines: readonly SpokenLine[],
  { input, source, context, failures, notes }: DubJob,
  onShare: (share: number) => void,
): Promise<{ readonly fit: Fit; readonly base: string | undefined }> {
  const { facts } = source
  const [min = 1, max = 1] = input.speed_band
  const rate: Rational | undefined = facts.video ? constantRate(facts.video) : undefined
  const options = {
    band: [min, max],
    duration: Math.round(facts.duration_ms),
    ...(rate && { rate }),
  } as const
  const fitted = lines.map(toFitLine)
  const fit = fitLines(fitted, { ...options, policy: input.fit_policy })
  if (fit.freezePoints.length === 0) return { fit, base: undefined }
  const path = join(context.scratch, 'base.mp4')
  const extended = await failures.attempt('base_video', () =>
    extendVideo(source, fit.freezePoints, { ...context, path, onShare }),
  )
  if (!extended) return { fit: fitLines(fitted, { ...options, policy: 'strict' }), base: undefined }
  notes.push(...extended.notes)
  return { fit, base: path }
}

function placedLines(lines: readonly SpokenLine[], fit: Fit) {
  return fit.lines.flatMap(({ stMs, durMs, speed }, index) => {
    const read = lines[index]?.read
    if (!read || durMs === 0) return []
    return [{ read, speed, start: stMs * samplesPerMs, length: durMs * samplesPerMs }]
  })
}

/** Lines that have a translation, on the time of the output. One that the voice refuses is shown as long as in the source. */
function subtitledLines(lines: readonly SpokenLine[], fit: Fit): SubtitledLine[] {
  return fit.lines.flatMap(({ stMs: start, durMs }, index) => {
    const spoken = lines[index]
    if (!spoken) return []
    const { text, line, refusal } = spoken
    const next = fit.lines[index + 1]?.stMs ?? fit.duration
    const length = refusal === undefined ? durMs : Math.min(line.end - line.start, next - start)
    return length > 0 ? [{ text, source: line.text, start, end: start + length }] : []
  })
}

interface SubtitleJob {
  readonly fit: Fit
  readonly job: DubJob
}

/** Writes the subtitle files that are requested; those that fail are undefined. */
async function writeSubtitleFiles(
  lines: readonly SubtitledLine[],
  { fit: { duration }, job: { input, source, context, failures } }: SubtitleJob,
): Promise<Pick<RenderedDub, 'subtitles' | 'bilingualSubtitles'>> {
  const { video } = source.facts
  const options = { duration, ...(video && { canvas: uprightSize(video) }) }
  const write = async (name: string, text: string) => {
    const path = join(context.scratch, name)
    await writeFile(path, text)
    return path
  }
  const subtitles =
    input.subtitle === 'none'
      ? undefined
      : await failures.attempt('subtitle', () => write('dubbed.srt', dubSrt(lines, options)))
  const bilingualSubtitles =
    input.subtitle === 'bilingual_burn'
      ? await failures.attempt('bilingual_subtitle', () =>
          write('bilingual.srt', bilingualDubSrt(lines, options)),
        )
      : undefined
  return { subtitles, bilingualSubtitles }
}

/** Draws subtitles over the picture. Returns its path; undefined if that fails. */
async function burnSubtitles(
  lines: readonly SubtitledLine[],
  { fit, job, onShare }: SubtitleJob & { readonly onShare: (share: number) => void },
): Promise<string | undefined> {
  const { input, source, context, failures, notes } = job
  const { video } = source.facts
  const isBilingual = input.subtitle === 'bilingual_burn'
  if (!video) return undefined
  const path = join(context.scratch, 'burned.mp4')
  const burned = await failures.attempt('subtitle', async () => {
    const ass = dubAss(lines, {
      ...{ canvas: uprightSize(video), duration: fit.duration, preset: input.subtitle_type },
      typeface: await typefaceFor(input.target_lang, context),
      ...(isBilingual && { sourceTypeface: await typefaceFor(input.source_lang, context) }),
    })
    return await extendVideo(source, fit.freezePoints, { ...context, path, subtitles: ass, onShare })
  })
  if (!burned) return undefined
  notes.push(...burned.notes)
  return path
}
