// Loaded before programs that tests start from sources. For the first TypeScript file missing from the compile
// cache, Node loads its compiler, which takes a fifth of the processor time of a short command. So this module
// opens the cache before the first file, not after it as src/main.ts does. It uses the same V8 flags, which are
// part of the cache key, and applies to the same programs.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const isProductEntry = /(src.main|(service|mcp).entry|daemon.test-(daemon|client))\.ts$/.test(
  process.argv[1] ?? '',
)
if (isMainThread && isProductEntry) {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  enableCompileCache(join(homedir(), '.cache', 'reelwright', 'compiled'))
}
