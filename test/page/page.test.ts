import { describe } from 'vitest'
import { fakeModule } from '../service/fake-operation.ts'
import { attackSuite } from './attack-suite.ts'
import { browserAndService, isBrowserMissing } from './browser.ts'
import { focusSuite } from './focus-suite.ts'
import { librarySuite } from './library-suite.ts'
import { signInSuite } from './sign-in-suite.ts'
import { taskDetailsSuite } from './task-details-suite.ts'
import { viewsSuite } from './views-suite.ts'

/** An operation whose engine is missing. */
const blockedModule = {
  ...fakeModule,
  operation: { ...fakeModule.operation, name: 'test_blocked', title: 'Test blocked' },
  requirements: async () => ({ requirements: () => [{ kind: 'language-model' } as const] }),
}

// All suites share a browser, because its start takes longer than most tests. Each page has a profile of its own.
describe.skipIf(isBrowserMissing)('the page in Chromium (Debian package chromium-headless-shell)', () => {
  const started = browserAndService({ operations: [fakeModule, blockedModule] })
  viewsSuite(started)
  taskDetailsSuite(started)
  librarySuite(started)
  signInSuite(started)
  focusSuite(started)
  attackSuite(started)
})
