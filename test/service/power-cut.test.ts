import { join } from 'node:path'
import { expect, test } from 'vitest'
import { soakSize } from '../soak-size.ts'
import { createTestDisk, diskUnavailableReason } from './disk.ts'
import { killRounds, seededRandom } from './kill-rounds.ts'
import { powerCut } from './power-cut.ts'

const rounds = soakSize(5, 20)
const reason = await diskUnavailableReason()

test.skipIf(reason !== null)(
  `power cuts under load lose nothing acknowledged (${reason ?? 'ext4'})`,
  async () => {
    await using disk = await createTestDisk(2 ** 29)
    const dataDir = join(disk.folder, 'data')
    const figures = await killRounds({ dataDir, rounds, random: seededRandom(10), ...powerCut(disk) })
    expect(figures.rounds).toBe(rounds)
    expect(figures.files).toBeGreaterThan(rounds * 4)
    expect(figures.leastTasks, 'so that the next bound holds on every machine').toBeGreaterThan(rounds * 4)
    expect(figures.tasks).toBeGreaterThan(rounds * 4)
  },
)
