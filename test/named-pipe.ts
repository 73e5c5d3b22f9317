import { constants } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'

const marker = 'unread'

/** Runs a function and returns whether anything read the named pipe meanwhile. */
export async function wasPipeRead(pipe: string, work: () => Promise<unknown>): Promise<boolean> {
  const writing = writeFile(pipe, marker).catch(() => {})
  await work()
  // A non-blocking open for reading releases a writer that still waits.
  await using reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  await writing
  return (await reader.readFile('utf8')) !== marker
}
