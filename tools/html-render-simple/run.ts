import { join } from 'node:path'
import type { RunContext, RunOperation } from '../../src/contract/operation.ts'
import type { WarningListener } from '../../src/engines/chromium/capture-session.ts'
import { captureFrames } from '../../src/engines/chromium/capture.ts'
import type { CaptureParticle } from '../../src/engines/chromium/particle.ts'
import { limitingPercent } from '../../src/engines/ffmpeg/true-peak.ts'
import { describeProblems } from '../../src/media/particle/problem.ts'
import type { htmlRenderSimple } from './contract.ts'
import { readParticles } from './particles.ts'
import { coveredFrames, schedule, type Schedule } from './schedule.ts'
import { encodeHtmlVideo, isMixed } from './encode.ts'
import { layerStream, type LayerFormat } from './layer-stream.ts'
import { expectedRenderSeconds } from './plan.ts'
import { frameTime } from '../../src/media/frame-rate.ts'

const outputFormats = {
  mp4: { name: 'html-animation.mp4', encoders: [] },
  webm: { name: 'html-layer.webm', encoders: ['libvpx'] },
  qtrle: { name: 'html-layer.mov', encoders: ['qtrle'] },
} as const

/** Captures the particles frame by frame while encoding them, over the base or alone. */
export const run: RunOperation<typeof htmlRenderSimple> = async (input, context) => {
  const planned = schedule(input, context.files)
  const { rate, frames } = planned
  const { video_size } = input.composition
  const { particles, notes: particleNotes } = await readParticles(planned.beats, {
    composition: input.composition,
    files: context.files,
  })
  const warnings = new Set<string>()
  const onWarning: WarningListener = (warning, particle) =>
    void warnings.add(`${particle}: ${describeProblems([warning])}`)
  const canvas: LayerFormat = { ...video_size, rate, frames }
  const { name } = outputFormats[input.render.output_format]
  const path = join(context.scratch, name)
  const { render } = input
  const picturePercent = isMixed({ schedule: planned, render }) ? 100 - limitingPercent : 100
  const onProgress = (percent: number) => context.progress((percent * picturePercent) / 100)
  const drawing = { context, onProgress, onWarning }
  const layer = particles.length === 0 ? undefined : drawLayer(particles, canvas, drawing)
  const soundNotes = await encodeHtmlVideo({ schedule: planned, canvas, render, layer }, context, {
    path,
    expectedSeconds: expectedRenderSeconds(input, planned),
    // Capturing is slower than encoding, so it reports the progress; without particles, encoding does.
    ...(!layer && { onProgress }),
    onLimiting: (percent) => context.progress(picturePercent + (percent * limitingPercent) / 100),
  })
  const notes = [
    ...planned.notes,
    ...hdrFileNames(planned).map((file) => `${file} is HDR; it was tone-mapped to standard range (bt709)`),
    ...soundNotes,
    ...summarizeNotes([...particleNotes, ...warnings]),
  ]
  return {
    ...context.keep({ path, name }),
    duration: Math.round(frameTime(frames, rate) * 1e6) / 1e6,
    video_size,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

function hdrFileNames({ base }: Schedule): string[] {
  return base?.video.hdr ? [base.file.name] : []
}

/** Most notes about particles. */
const maxParticleNotes = 20

function summarizeNotes(notes: readonly string[]): string[] {
  const more = notes.length - maxParticleNotes
  return [
    ...notes.slice(0, maxParticleNotes),
    ...(more > 0 ? [`${more} more notes about particles; check_particle reports all of one`] : []),
  ]
}

interface DrawLayerOptions {
  readonly context: RunContext
  readonly onProgress: (percent: number) => void
  readonly onWarning: WarningListener
}

function drawLayer(
  particles: readonly CaptureParticle[],
  canvas: LayerFormat,
  { context, onProgress, onWarning }: DrawLayerOptions,
) {
  const { width, height, rate, frames } = canvas
  const { threads, scratch, signal } = context
  const captured = captureFrames({
    ...{ particles, width, height, frames, threads, scratch, signal, onWarning },
    fps: rate.num / rate.den,
    onFrame: (done) => onProgress((100 * done) / frames),
  })
  return { stream: layerStream(captured, canvas), shown: coveredFrames(particles, canvas) }
}
