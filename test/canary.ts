import { constants } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'

const marker = 'the canary sings'

/** Runs something beside a pipe that gives its content to the first who opens it, and tells whether anyone did. */
export async function wasRead(canary: string, work: () => Promise<unknown>): Promise<boolean> {
  const writing = writeFile(canary, marker).catch(() => {})
  await work()
  // Opening to read without blocking lets a writer that still waits go on.
  await using reader = await open(canary, constants.O_RDONLY | constants.O_NONBLOCK)
  await writing
  return (await reader.readFile('utf8')) !== marker
}
