import { enableUserCompileCache, ignoreClosedPipes, reduceBufferMemory } from './platform/runtime.ts'

// Commands that stream uploads and downloads. Others, such as workers, would only collect garbage more often.
const streamingCommands = ['mcp', 'serve', 'daemon']

// Both must come before other modules are loaded.
if (streamingCommands.includes(process.argv[2] ?? '')) reduceBufferMemory()
enableUserCompileCache()
ignoreClosedPipes()
const [{ main }, { processIo }] = await Promise.all([
  import('./commands/command-line.ts'),
  import('./commands/command.ts'),
])
process.exitCode = await main(process.argv.slice(2), processIo)
