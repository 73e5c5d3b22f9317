// Loaded before programs that tests start from their sources. What is installed is JavaScript; of TypeScript the
// first file that no cache holds has Node load its compiler, a fifth of the processor time of a short command. So
// the cache is opened before the first file, not after it as in src/main.ts; under the same flags of V8, by which
// it is kept, and for the same programs.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const beginsAsMain = /(src.main|(service|mcp).entry|daemon.test-(daemon|client))\.ts$/.test(
  process.argv[1] ?? '',
)
if (isMainThread && beginsAsMain) {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  enableCompileCache(join(homedir(), '.cache', 'reelwright', 'compiled'))
}
