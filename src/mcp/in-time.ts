import { MediaError } from '../contract/errors.ts'

/** What work answers or throws; 6402 where that takes longer than so many ms. Work that is late goes on unheard. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(outOfTime()), ms).unref()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The error of what was not answered in time. */
export function outOfTime(): MediaError {
  return new MediaError(6402, 'The service did not answer in time', {
    hint: 'What was begun goes on: see list_tasks, then call again.',
  })
}
