import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputOf, ReadyOperation, RunOperation } from '../../src/contract/operation.ts'
import { dryRun } from '../../src/engines/chromium/dry-run.ts'
import { readParticleSource } from '../../src/engines/chromium/particle-source.ts'
import { locateChromium } from '../../src/engines/chromium/locate.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { selectNewProblems, type SourceProblem } from '../../src/media/particle/problem.ts'
import { readParticle } from '../../src/media/particle/read-particle.ts'
import type { checkParticle } from './contract.ts'
import { chooseMoments, drawMoments } from './moments.ts'

/** Reads a particle, plays it, and draws moments of it where nothing is wrong. */
export const run: RunOperation<typeof checkParticle> = async (input, context) => {
  const { scratch, signal } = context
  const html =
    input.file_id === undefined
      ? (input.html ?? '')
      : await readParticleSource(context.files.get(input.file_id))
  const { declaration: declared, problems } = readParticle(html)
  if (!declared) return checkReport(problems)
  const { compositionId, width, height } = declared
  const about = { composition_id: compositionId, width, height }
  const particle = {
    ...{ ...declared, name: compositionId, html, duration: input.duration },
    ...{ start: 0, zIndex: 0, opaque: false },
  }
  const size = input.video_size ?? { width, height }
  const moments = chooseMoments(size, input)
  const { problems: played, pictures } = await dryRun(particle, {
    ...{ ...size, fps: input.fps, pictureTimes: moments.times },
    ...{ scratch, signal },
  })
  const news = selectNewProblems(played, problems).map((problem) => ({
    severity: 'error' as const,
    ...problem,
  }))
  const found = [...problems, ...news]
  if (found.some(({ severity }) => severity === 'error')) return { ...checkReport(found), ...about }
  const path = join(scratch, 'moments.png')
  await writeFile(path, await drawMoments(moments, pictures, signal))
  return {
    ...checkReport(found),
    ...about,
    ...context.keep({ path, name: `${sheetFileName(compositionId)}.png` }),
  }
}

/** Throws 6401 where Chromium is missing, or ffmpeg, which draws the moments. */
export const ready: ReadyOperation<typeof checkParticle> = async () => {
  await locateFfmpeg()
  locateChromium()
}

/** More help nobody. */
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
