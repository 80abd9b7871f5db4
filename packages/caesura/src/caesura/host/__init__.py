"""What a plugin of any framework needs: settings and embedding sessions."""
