import { MediaError } from '../contract/errors.ts'
import { freeSpace } from '../platform/folder.ts'

/** What to throw for what a write into a folder threw: a full disk is 6002, told with what is left of it. */
export async function orFull(error: unknown, folder: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  const free = await freeSpace(folder)
  return new MediaError(6002, `no space is left on the service: ${free} bytes are free`, {
    cause: error,
    hint: 'Free space on the service, then send it again.',
  })
}
