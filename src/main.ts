import { enableUserCompileCache, ignoreClosedPipes, reduceBufferMemory } from './platform/runtime.ts'

// Both must come before other modules are loaded.
reduceBufferMemory()
enableUserCompileCache()
ignoreClosedPipes()
const [{ main }, { processIo }] = await Promise.all([
  import('./commands/command-line.ts'),
  import('./commands/command.ts'),
])
process.exitCode = await main(process.argv.slice(2), processIo)
