import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pollUntil } from './api.ts'

const run = promisify(execFile)

/** A separate disk for a test: ext4 in a file, mounted through a loop device. */
export interface TestDisk extends AsyncDisposable {
  readonly folder: string
  /** Stops the file system like a power cut: unsynced data is lost, and later writes fail. */
  cutPower(): Promise<void>
  /** Mounts it again. Processes that used it must have ended or be ending. */
  restore(): Promise<void>
}

// No background writes, and a rename does not sync its file.
const mountOptions = 'loop,commit=300,data=writeback,noauto_da_alloc'

/** FS_IOC_SHUTDOWN with FS_SHUTDOWN_FLAGS_NOLOGFLUSH (linux/fs.h). */
const shutdown =
  'my $flags = pack("L", 2); open(my $folder, "<", $ARGV[0]) or die $!; ioctl($folder, 0x8004587d, $flags) or die $!'

/** Creates a disk; needs Linux, root and permission to mount. */
export async function createTestDisk(bytes: number): Promise<TestDisk> {
  const base = await mkdtemp(join(tmpdir(), 'reelwright-disk-'))
  const [image, folder] = [join(base, 'image'), join(base, 'disk')]
  const mount = async (): Promise<void> => void (await run('mount', ['-o', mountOptions, image, folder]))
  const unmounted = async (): Promise<boolean> => {
    try {
      await run('umount', [folder])
      return true
    } catch (error) {
      // Workers exit when their service has ended.
      if (String(error).includes('busy')) return false
      throw error
    }
  }
  const unmount = async (): Promise<void> => void (await pollUntil(unmounted, Boolean))
  await mkdir(folder)
  await using file = await open(image, 'wx')
  await file.truncate(bytes)
  await run('mkfs.ext4', ['-q', image])
  await mount()
  return {
    folder,
    cutPower: async () => void (await run('perl', ['-e', shutdown, folder])),
    async restore() {
      await unmount()
      await mount()
    },
    async [Symbol.asyncDispose]() {
      await unmount()
      await rm(base, { recursive: true })
    },
  }
}

/** Why a disk cannot be created here; null when it can. */
export async function diskUnavailableReason(): Promise<string | null> {
  try {
    await using disk = await createTestDisk(2 ** 23)
    await disk.cutPower()
    await disk.restore()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Fills a disk to the last block, except so many bytes. */
export async function fillDisk(path: string, left = 0): Promise<void> {
  await using file = await open(path, 'wx')
  for (let bytes = 2 ** 26; bytes >= 512;) {
    try {
      await file.appendFile(Buffer.alloc(bytes))
    } catch {
      bytes /= 2
    }
  }
  const { size } = await file.stat()
  await file.truncate(Math.max(0, size - left))
}
