/** Simulates a day of use in minutes. Arguments: tasks, seed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulateDay } from '../test/day/day.ts'
import { seededRandom } from '../test/service/kill-rounds.ts'

const tasks = Number(process.argv[2] ?? 2000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
const folder = await mkdtemp(join(tmpdir(), 'reelwright-day-'))
const began = performance.now()
const figures = await simulateDay({ dataDir: join(folder, 'data'), tasks, random: seededRandom(seed) })
const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ seed, seconds, tasks, ...figures })}\n`)
await rm(folder, { recursive: true })
