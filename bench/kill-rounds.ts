/** 100 rounds of load and kill -9: what was acknowledged must be there once. Argument: seed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRounds, seeded } from '../test/service/kill-rounds.ts'

const seed = Number(process.argv[2] ?? Date.now() % 2 ** 31)
const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-rounds-'))
const began = performance.now()
const figures = await killRounds(dataDir, 100, seeded(seed))
const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ seed, seconds, ...figures })}\n`)
await rm(dataDir, { recursive: true })
