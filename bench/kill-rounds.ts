/** Runs 100 rounds of load and kill -9, or of power cuts. Acknowledged data must exist exactly once. Arguments: seed, "power". */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDisk } from '../test/service/disk.ts'
import { killRounds, seededRandom } from '../test/service/kill-rounds.ts'
import { powerCut } from '../test/service/power-cut.ts'

const seed = Number(process.argv[2] ?? Date.now() % 2 ** 31)
const random = seededRandom(seed)
const began = performance.now()
const figures = process.argv[3] === 'power' ? await onDisk() : await onFolder()
const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ seed, seconds, ...figures })}\n`)

async function onFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-rounds-'))
  const result = await killRounds({ dataDir, rounds: 100, random })
  await rm(dataDir, { recursive: true })
  return result
}

async function onDisk() {
  await using disk = await createTestDisk(2 ** 30)
  return await killRounds({ dataDir: join(disk.folder, 'data'), rounds: 100, random, ...powerCut(disk) })
}
