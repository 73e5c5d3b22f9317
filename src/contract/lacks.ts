import { MediaError } from './errors.ts'
import type { OperationModule } from './operation.ts'

/** What stops operations, and what helps. */
export interface Lack {
  readonly operations: readonly string[]
  readonly message: string
  readonly hint: string
}

/** What stops an operation whatever is asked of it; null where it is ready. */
export async function lackOf(module: OperationModule): Promise<MediaError | null> {
  try {
    const { ready } = await module.run()
    await ready()
    return null
  } catch (error) {
    if (error instanceof MediaError) return error
    throw error
  }
}

/** All that stops operations, those together that the same helps. */
export async function lacksOf(modules: readonly OperationModule[]): Promise<Lack[]> {
  const lacks = new Map<string, Lack>()
  for (const module of modules) {
    const lack = await lackOf(module)
    if (!lack) continue
    const { message, hint } = lack
    const same = `${message}\n${hint}`
    const others = lacks.get(same)?.operations ?? []
    lacks.set(same, { operations: [...others, module.operation.name], message, hint })
  }
  return [...lacks.values()]
}
