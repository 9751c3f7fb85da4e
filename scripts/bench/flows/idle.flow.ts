import { defineFlow } from 'ringside-bench/flow';

// A client that does nothing but to be there.
export default defineFlow({
  async client(me) {
    await me.open();
    await me.sleep('1h');
  },
});
