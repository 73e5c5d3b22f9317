import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashFile } from '../../src/platform/hash.ts'
import { soakSize } from '../soak-size.ts'
import { uploadWithInterruptions } from './interrupted-upload.ts'
import { temporaryDataFolder } from './killable-service.ts'
import { seededRandom } from './kill-rounds.ts'
import { createStampedFile, firstMisplacedMiB } from './stamped-file.ts'

const size = soakSize(2 ** 28, 2 ** 30)
const cutCount = soakSize(3, 20)

test.skipIf(process.platform !== 'linux')(
  `${size / 2 ** 20} MiB, interrupted ${cutCount} times, are uploaded through the MCP server in constant memory (peaks are measured on Linux)`,
  async ({ annotate }) => {
    const folder = await temporaryDataFolder()
    const [dataDir, source] = [join(folder, 'data'), join(folder, 'source.mp4')]
    await mkdir(dataDir)
    await createStampedFile(source, size, 'sparse')
    const began = performance.now()
    const report = await uploadWithInterruptions({
      source,
      size,
      dataDir,
      cuts: cutCount,
      random: seededRandom(20_261_121),
    })
    const { cuts, file, bytesResent: sentTwice, peaks } = report
    await annotate(
      `${((performance.now() - began) / 1000).toFixed(1)} s; cuts ${JSON.stringify(cuts)}; ` +
        `resident at most ${peaks.service.toFixed(0)} MiB (service), ${peaks.mcpServer.toFixed(0)} MiB (MCP server)`,
    )
    expect(cuts.connection + cuts.service + cuts.mcpServer).toBe(cutCount)
    expect(file).toMatchObject({ name: 'source.mp4', bytes: size })
    const blake3 = await hashFile(source)
    const stored = join(dataDir, 'files', 'blobs', blake3.slice(0, 2), blake3)
    expect(await firstMisplacedMiB(stored)).toBeNull()
    expect(await hashFile(stored)).toBe(blake3)
    expect(sentTwice, 'bytes that were acknowledged and sent again').toBe(0)
    expect(peaks.service).toBeLessThan(250)
    expect(peaks.mcpServer).toBeLessThan(250)
  },
)
