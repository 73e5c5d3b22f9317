import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputOf, RunOperation } from '../../src/contract/operation.ts'
import { dryRun } from '../../src/engines/chromium/dry-run.ts'
import { readParticleSource } from '../../src/engines/chromium/particle-source.ts'
import { decodePngs } from '../../src/engines/ffmpeg/read-frames.ts'
import { drawSheet, layOutSheet, type SheetLayout } from '../../src/engines/ffmpeg/draw-sheet.ts'
import type { Size } from '../../src/media/geometry.ts'
import { describeCroppedCanvas } from '../../src/media/particle/canvas-fit.ts'
import { selectNewProblems, type SourceProblem } from '../../src/media/particle/problem.ts'
import { readParticle } from '../../src/media/particle/read-particle.ts'
import { encodePng } from '../../src/platform/png.ts'
import type { checkParticle } from './contract.ts'

/** Reads and plays a particle. If there are no errors, stores a contact sheet of moments. */
export const run: RunOperation<typeof checkParticle> = async (input, context) => {
  const { scratch, signal } = context
  const html =
    input.file_id === undefined
      ? (input.html ?? '')
      : await readParticleSource(context.files.get(input.file_id))
  const { declaration, problems: readProblems } = readParticle(html, { imageNames: 'unknown' })
  if (!declaration) return checkReport(readProblems)
  const { compositionId, width, height } = declaration
  const about = { composition_id: compositionId, width, height }
  const particle = {
    ...{ ...declaration, name: compositionId, html, duration: input.duration },
    ...{ start: 0, zIndex: 0, opaque: false },
  }
  const size = input.video_size ?? { width, height }
  const cropped = describeCroppedCanvas(declaration, size)
  const problems: readonly SourceProblem[] = [
    ...(cropped === undefined ? [] : [{ severity: 'warning' as const, message: cropped }]),
    ...readProblems,
  ]
  const moments = chooseMoments(size, input)
  const { problems: played, pictures } = await dryRun(particle, {
    ...{ ...size, fps: input.fps, pictureTimes: moments.times },
    ...{ scratch, signal },
  })
  const newProblems = selectNewProblems(played, problems).map((problem) => ({
    severity: 'error' as const,
    ...problem,
  }))
  const allProblems = [...problems, ...newProblems]
  if (allProblems.some(({ severity }) => severity === 'error'))
    return { ...checkReport(allProblems), ...about }
  const path = join(scratch, 'moments.png')
  await writeFile(path, await drawMoments(moments, pictures, signal))
  return {
    ...checkReport(allProblems),
    ...about,
    ...context.keep({ path, name: `${sheetFileName(compositionId)}.png` }),
  }
}

/** Most problems in the output. */
const maxReportedProblems = 100

function checkReport(
  problems: readonly SourceProblem[],
): Pick<OutputOf<typeof checkParticle>, 'ok' | 'problems'> {
  const byLine = problems.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0))
  return {
    ok: problems.every(({ severity }) => severity !== 'error'),
    problems: byLine
      .slice(0, maxReportedProblems)
      .map(({ severity, message, line }) => ({ severity, message, line })),
  }
}

function sheetFileName(compositionId: string): string {
  return `particle-${compositionId.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`
}

interface Timing {
  readonly fps: number
  /** In seconds. */
  readonly duration: number
}

/** Moments of a particle on a contact sheet, and its layout. */
export interface CheckMoments {
  /** Centre of each cell's time interval, s. */
  readonly times: readonly number[]
  readonly sheet: SheetLayout
  /** Seconds between two moments. */
  readonly stepSeconds: number
}

/** Chooses one moment per cell of the contact sheet. */
export function chooseMoments({ width, height }: Size, { fps, duration }: Timing): CheckMoments {
  const frames = Math.max(1, Math.floor(duration * fps))
  const sheet = layOutSheet({ width, height, durationMs: duration * 1000, frames })
  const stepSeconds = duration / sheet.cells.length
  return { times: sheet.cells.map((_, index) => (index + 0.5) * stepSeconds), sheet, stepSeconds }
}

/** Returns the contact sheet as PNG. pictures: PNGs at `times`. */
export async function drawMoments(
  { sheet, stepSeconds }: CheckMoments,
  pictures: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const scaled = await decodePngs(pictures, { ...sheet.frame, signal })
  const { pixels, ...size } = drawSheet(sheet, scaled, stepSeconds * 1000)
  return encodePng({ ...size, channels: 3, bytes: pixels })
}
