import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { createTestDisk, diskUnavailableReason, fillDisk } from '../service/disk.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { newLibrary, rights, writeImage, writeVideo } from './library.ts'

const images = soakSize(1, 12)
const reason = await diskUnavailableReason()

describe.skipIf(reason !== null)(`a library on a disk of its own (${reason ?? 'ext4'})`, () => {
  test.for(sampleCases([[0], [16], [160]] as const, 1))(
    'an import with %d KiB left ends with the plain error, and continues when there is space',
    async ([kibibytes]) => {
      await using disk = await createTestDisk(2 ** 25)
      const library = await newLibrary()
      await writeVideo(library.media('a.mp4'), 'blue', 'lime')
      for (let index = 0; index < images; index += 1)
        await writeImage(library.media(`image-${index}.png`), 'red', index)
      const [data, filler] = [join(disk.folder, 'data'), join(disk.folder, 'filler')]
      const run = (...args: readonly string[]) =>
        runCommand(['library', ...args], { REELWRIGHT_DATA_DIR: data })
      const empty = join(library.root, 'empty')
      await mkdir(empty)
      expect((await run('add', empty, ...rights)).code).toBe(0)
      await fillDisk(filler, kibibytes * 1024)
      const full = await run('add', library.media(), ...rights)
      expect(full).toMatchObject({ code: 1, out: '' })
      expect(full.err).toContain(`no space left on ${data}\n`)
      expect(full.err).toContain('Fix: Free space there')
      await rm(filler)
      const { code, out } = await run('add', library.media(), ...rights)
      expect(code).toBe(0)
      expect(out).toMatch(/1?\d imported/)
      expect(out).not.toContain('skipped')
      expect((await run('list')).out).toMatch(new RegExp(`^1 +${images} +0 +0 `, 'm'))
    },
  )
})
