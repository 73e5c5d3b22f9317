import { MediaError } from '../../src/contract/errors.ts'
import { summarizeList } from '../../src/contract/format.ts'
import type { RequestFiles, StagedFile } from '../../src/contract/operation.ts'
import type { CaptureParticle } from '../../src/engines/chromium/particle.ts'
import { readParticleSource } from '../../src/engines/chromium/particle-source.ts'
import { describeCroppedCanvas } from '../../src/media/particle/canvas-fit.ts'
import { describeProblems } from '../../src/media/particle/problem.ts'
import { readParticle, type ParticleDeclaration } from '../../src/media/particle/read-particle.ts'
import { reduceSizeHint } from '../../src/media/particle/source-size.ts'
import { ParticleImages } from './particle-images.ts'
import type { HtmlRenderInput, ScheduledBeat } from './schedule.ts'

interface ReadParticlesOptions {
  readonly composition: HtmlRenderInput['composition']
  readonly files: RequestFiles<StagedFile>
}

/** Result of `readParticles`. */
interface ReadParticlesResult {
  readonly particles: readonly CaptureParticle[]
  /** What the result shows differently from the particle's own canvas. */
  readonly notes: readonly string[]
}

/** Most particles listed in one error. */
const maxListedParticles = 8

/** Most characters of all sources with their embedded images, because every browser keeps them in memory. */
const maxTotalCharacters = 128 * 2 ** 20

/**
 * Reads the sources of all particles, each file once, and embeds the images that they name. Throws 6016 with the problems
 * of all particles.
 */
export async function readParticles(
  beats: readonly ScheduledBeat<StagedFile>[],
  { composition, files }: ReadParticlesOptions,
): Promise<ReadParticlesResult> {
  const images = new ParticleImages(composition.assets.file_id, files)
  const read = new Map<string, LoadedSource>()
  const particles: CaptureParticle[] = []
  const notes: string[] = []
  const invalid: string[] = []
  for (const scheduled of beats) {
    const key = scheduled.file ? `file ${scheduled.file.file_id}` : `html ${scheduled.name}`
    const source = read.get(key) ?? (await loadSource(scheduled, images))
    read.set(key, source)
    checkTotalSize([...read.values()])
    const { declaration, html, errors } = source
    const name = particleName(scheduled, source)
    if (!declaration || errors !== '') {
      invalid.push(`${name}: ${errors}`)
      continue
    }
    particles.push(createCaptureParticle(scheduled, { ...declaration, name, html }))
    const cropped = describeCroppedCanvas(declaration, composition.video_size)
    if (cropped !== undefined) notes.push(`${name}: ${cropped}`)
  }
  if (invalid.length === 0) return { particles, notes }
  throw new MediaError(6016, summarizeList(invalid, maxListedParticles, '. '), {
    hint: 'Correct the particles; check_particle reports all problems of a particle, free of charge.',
  })
}

interface LoadedSource {
  readonly html: string
  readonly declaration: ParticleDeclaration | undefined
  /** Its errors as text; empty if it has none. */
  readonly errors: string
}

async function loadSource(
  { beat, file }: ScheduledBeat<StagedFile>,
  images: ParticleImages,
): Promise<LoadedSource> {
  const written = file ? await readParticleSource(file) : (beat.html ?? '')
  const { html, reason } = await images.embed(written)
  if (reason !== undefined) return { html: '', declaration: undefined, errors: reason }
  const { declaration, problems } = readParticle(html, { imageNames: images.names })
  const errors = problems.filter(({ severity }) => severity === 'error')
  return { html, declaration, errors: errors.length === 0 ? '' : describeProblems(errors) }
}

function checkTotalSize(sources: readonly LoadedSource[]): void {
  const total = sources.reduce((sum, { html }) => sum + html.length, 0)
  if (total <= maxTotalCharacters) return
  throw new MediaError(6016, 'composition.beats: the particles are larger than 128 MiB with their images', {
    hint: `${reduceSizeHint} Several beats can share one html_asset.`,
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
