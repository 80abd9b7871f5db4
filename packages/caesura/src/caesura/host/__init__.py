"""What a plugin of any framework needs: settings, sentences, embedding sessions, keys of caches."""
