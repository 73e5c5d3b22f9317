import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { summarizeList } from '../../src/contract/format.ts'
import { captureFrames } from '../../src/engines/chromium/capture.ts'
import type { CaptureParticle } from '../../src/engines/chromium/particle.ts'
import { readParticleSource } from '../../src/engines/chromium/particle-source.ts'
import { describeProblems } from '../../src/media/particle/problem.ts'
import {
  readParticle,
  type ParticleDeclaration,
  type ReadParticleResult,
} from '../../src/media/particle/read-particle.ts'
import type { htmlRenderSimple } from './contract.ts'
import { coveredFrames, schedule, type Schedule, type ScheduledBeat } from './schedule.ts'
import { encodeHtmlVideo } from './encode.ts'
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
  const particles = await readParticles(planned.beats)
  const canvas: LayerFormat = { ...video_size, rate, frames }
  const { name } = outputFormats[input.render.output_format]
  const path = join(context.scratch, name)
  await encodeHtmlVideo(
    {
      schedule: planned,
      canvas,
      render: input.render,
      layer: particles.length === 0 ? undefined : drawLayer(particles, canvas, context),
    },
    context,
    {
      path,
      expectedSeconds: expectedRenderSeconds(input, planned),
      // Capturing is slower than encoding, so it reports the progress; without particles, encoding does.
      ...(particles.length === 0 && { onProgress: (percent) => context.progress(percent) }),
    },
  )
  const notes = [
    ...planned.notes,
    ...hdrFileNames(planned).map((file) => `${file} is HDR; it was tone-mapped to standard range (bt709)`),
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

function drawLayer(
  particles: readonly CaptureParticle[],
  canvas: LayerFormat,
  { threads, scratch, signal, progress }: RunContext,
) {
  const { width, height, rate, frames } = canvas
  const captured = captureFrames({
    ...{ particles, width, height, frames, threads, scratch, signal },
    fps: rate.num / rate.den,
    onFrame: (done) => progress((100 * done) / frames),
  })
  return { stream: layerStream(captured, canvas), shown: coveredFrames(particles, canvas) }
}

interface LoadedSource extends ReadParticleResult {
  readonly html: string
}

/** Most particles listed in one error. */
const maxListedParticles = 8

/** Reads the sources of all particles, each file once. Throws 6016 with the problems of all particles. */
async function readParticles(beats: readonly ScheduledBeat<StagedFile>[]): Promise<CaptureParticle[]> {
  const read = new Map<string, LoadedSource>()
  const particles: CaptureParticle[] = []
  const invalid: string[] = []
  for (const scheduled of beats) {
    const { beat, file } = scheduled
    let source = file && read.get(file.file_id)
    if (!source) {
      const html = file ? await readParticleSource(file) : (beat.html ?? '')
      source = { html, ...readParticle(html) }
      if (file) read.set(file.file_id, source)
    }
    const { declaration, problems } = source
    const errors = problems.filter(({ severity }) => severity === 'error')
    const name = particleName(scheduled, source)
    if (!declaration || errors.length > 0) invalid.push(`${name}: ${describeProblems(errors)}`)
    else particles.push(createCaptureParticle(scheduled, { ...declaration, name, html: source.html }))
  }
  if (invalid.length === 0) return particles
  throw new MediaError(6016, summarizeList(invalid, maxListedParticles, '. '), {
    hint: 'Correct the particles; check_particle reports all problems of a particle, free of charge.',
  })
}

/** Returns the name of a particle in errors: its path in the request, and its composition id if it has no id. */
function particleName({ name, beat }: ScheduledBeat<StagedFile>, { declaration }: LoadedSource): string {
  return beat.id === undefined && declaration ? `${name} (${declaration.compositionId.slice(0, 80)})` : name
}

function createCaptureParticle(
  { beat }: ScheduledBeat<StagedFile>,
  source: ParticleDeclaration & Pick<CaptureParticle, 'name' | 'html'>,
): CaptureParticle {
  const { start, duration, track_index: zIndex, opaque } = beat
  return { ...source, start, duration, zIndex, opaque }
}
