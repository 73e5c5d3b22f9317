import { describe } from 'vitest'
import { fakeModule } from '../service/fake-operation.ts'
import { attackSuite } from './attacks.ts'
import { browserAndService, isBrowserMissing } from './browser.ts'
import { focusSuite } from './focus.ts'
import { librarySuite } from './library.ts'
import { signInSuite } from './sign-in.ts'
import { taskDetailsSuite } from './task-details.ts'
import { viewsSuite } from './views.ts'

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
