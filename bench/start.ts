import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTo, endService } from '../test/pack/connect.ts'
import { installPacked } from '../test/pack/packed.ts'

// Time from spawn to the first response of service_status, for a packed install, in 20 runs. Cold runs also start the
// service, with an empty data folder; in warm runs it is running.

const runs = 20

async function firstResponse(program: string, dataDir: string): Promise<number> {
  const started = performance.now()
  const client = await connectTo(program, folder, dataDir)
  const status = await client.callTool({ name: 'service_status' })
  const elapsed = performance.now() - started
  if (status.isError === true) throw new Error(JSON.stringify(status.content))
  await client.close()
  return elapsed
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(0)
  console.log(`${name}: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, slowest ${at(1)} ms`)
}

const folder = await mkdtemp(join(tmpdir(), 'reelwright-start-'))
try {
  const { program, bytes, dependencies } = await installPacked(folder)
  console.log(`packed: ${(bytes / 1024).toFixed(0)} KiB, ${dependencies.length} dependencies`)
  const cold = []
  for (let run = 0; run < runs; run += 1) {
    const dataDir = join(folder, `cold-${run}`)
    cold.push(await firstResponse(program, dataDir))
    await endService(dataDir)
  }
  report('cold', cold)
  const dataDir = join(folder, 'warm')
  await firstResponse(program, dataDir)
  const warm = []
  for (let run = 0; run < runs; run += 1) warm.push(await firstResponse(program, dataDir))
  await endService(dataDir)
  report('warm', warm)
} finally {
  await rm(folder, { recursive: true, force: true })
}
