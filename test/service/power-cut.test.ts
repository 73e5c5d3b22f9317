import { join } from 'node:path'
import { expect, test } from 'vitest'
import { soakSize } from '../soak.ts'
import { makeDisk, whyNoDisk } from './disk.ts'
import { killRounds, seeded } from './kill-rounds.ts'
import { powerCut } from './power-cut.ts'

const rounds = soakSize(5, 20)
const reason = await whyNoDisk()

test.skipIf(reason !== null)(
  `power cuts under load lose nothing acknowledged (${reason ?? 'ext4'})`,
  async () => {
    await using disk = await makeDisk(2 ** 29)
    const dataDir = join(disk.folder, 'data')
    const figures = await killRounds({ dataDir, rounds, random: seeded(4), ...powerCut(disk) })
    expect(figures.rounds).toBe(rounds)
    expect(figures.files).toBeGreaterThan(rounds * 4)
    expect(figures.tasks).toBeGreaterThan(rounds * 4)
  },
)
